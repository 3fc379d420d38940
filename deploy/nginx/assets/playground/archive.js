// The conversations that a person has let this device keep: in IndexedDB, in a database of that person's own. Loaded when
// there is something to keep, or the list is opened. common/forms.js deletes the database at a sign-out, where that is wished.
// A conversation is in three stores, so that its name is read without its texts, and its texts without its images.

import { t } from '../common/dom.js';
import { userId } from '../common/api.js';
import { nameOf, withoutImages } from './conversation.js';

const name = `conversations ${userId}`;
const stores = ['heads', 'words', 'turns'];
let opening = null;
let isDeleted = false; // by another tab: nothing is kept from here any more

const resultOf = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

const endOf = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = resolve;
  transaction.onabort = () => reject(transaction.error ?? new Error());
});

async function database() {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    for (const store of stores) request.result.createObjectStore(store, { keyPath: 'id' });
  };
  const opened = await resultOf(request);
  opened.onclose = () => { opening = null; };
  opened.onversionchange = () => {
    isDeleted = true;
    opening = null;
    opened.close();
  };
  return opened;
}

/** Opens it; a browser without it, as in some private windows, is told of. */
export async function open() {
  try {
    opening ??= database();
    return await opening;
  } catch {
    opening = null;
    throw new Error(t('This browser lets no page keep anything here, as in a private window. The conversation stays in this tab.'));
  }
}

/** Does all of the work, or none of it where it fails. */
async function inStores(mode, work) {
  const transaction = (await open()).transaction(stores, mode);
  const ended = endOf(transaction);
  const working = Promise.resolve(work(...stores.map((each) => transaction.objectStore(each)))).catch((error) => {
    transaction.abort();
    throw error;
  });
  const [result] = await Promise.all([working, ended]);
  return result;
}

const isFull = (error) => error?.name === 'QuotaExceededError';

/** Writes {id, changed, title, words, turns}; false when another tab has written it: it has none of the stamps. */
const write = ({ id, changed, title, isNamed = false, words, turns }, stamps) =>
  inStores('readwrite', async (heads, texts, whole) => {
    const head = await resultOf(heads.get(id));
    if (head && !stamps.includes(head.changed)) return false;
    heads.put({ id, changed, ...(head?.isNamed ? { title: head.title, isNamed: true } : { title, isNamed }) });
    texts.put({ id, words });
    whole.put({ id, turns });
    return true;
  });

/** The same, of the texts alone where there is no room for the images. */
export async function save(record, stamps) {
  if (isDeleted) return true;
  await open();
  try {
    return await write(record, stamps).catch((error) => {
      if (!isFull(error)) throw error;
      return write({ ...record, turns: withoutImages(record.turns) }, stamps);
    });
  } catch (error) {
    throw new Error(isFull(error)
      ? t('There is no more room on this device. This conversation stays in this tab. Delete others to keep it.')
      : t('This conversation could not be kept on this device. It stays in this tab.'));
  }
}

/**
 * Saves what is next of a conversation, until there is nothing more (onDevice() of conversation.js). saved() is called after each;
 * copied() when another tab has saved it: then it goes on as another one.
 */
export async function saveAll(to, { saved, copied }) {
  if (to.isSaving) return;
  to.isSaving = true;
  try {
    for (let record; (record = to.next);) {
      to.next = null;
      const isSaved = await save(record, to.stamps);
      to.stamps = [...(isSaved ? [record.changed] : []), ...(to.next ? [to.next.changed] : [])];
      if (isSaved) {
        saved();
        continue;
      }
      to.id = crypto.randomUUID();
      to.next = { ...(to.next ?? record), id: to.id };
      copied();
    }
  } finally {
    to.isSaving = false;
  }
}

/** {id, title, changed} of each, the newest first. */
export async function list() {
  const heads = await inStores('readonly', (all) => resultOf(all.getAll()));
  return heads.sort((one, other) => other.changed - one.changed);
}

/** The ids of those with that text in their messages. */
export async function search(text) {
  const wanted = text.toLocaleLowerCase();
  const found = new Set();
  await inStores('readonly', (_, texts) => new Promise((resolve) => {
    texts.openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor) return resolve();
      if (cursor.value.words.toLocaleLowerCase().includes(wanted)) found.add(cursor.value.id);
      cursor.continue();
    };
  }));
  return found;
}

/** All of a conversation, or null. */
export async function load(id) {
  const parts = await inStores('readonly', (...all) => Promise.all(all.map((each) => resultOf(each.get(id)))));
  return parts.every(Boolean) ? Object.assign({}, ...parts) : null;
}

/** Gives it a name; without one it is called by its first words again. */
export const rename = (id, title) => inStores('readwrite', async (heads, texts) => {
  const [head, { words }] = await Promise.all([heads, texts].map((each) => resultOf(each.get(id))));
  heads.put({ ...head, title: title || nameOf(words), isNamed: title !== '' });
});

export const remove = (id) => inStores('readwrite', (...all) => { for (const each of all) each.delete(id); });

/** Deletes all of them. */
export async function forget() {
  const opened = await open();
  opening = null;
  opened.close();
  await resultOf(indexedDB.deleteDatabase(name));
}
