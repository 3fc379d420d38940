// The conversation as it is kept in this tab: it survives a reload and ends with the session, as drafts do
// (common/drafts.js). It is never sent to the server but as the history of a question.

import { tell } from '../common/dom.js';
import { t } from '../common/language.js';
import { userId } from '../common/session.js';

const place = `conversation ${userId}`;

/** What was kept, or null. */
export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
}

/** Keeps plain data; null ends it. */
export function keep(data) {
  sessionStorage.removeItem(place);
  if (!data) return;
  try {
    sessionStorage.setItem(place, JSON.stringify(data));
  } catch {
    tell(t('This conversation has become too long to be kept: a reload loses it.'), true);
  }
}
