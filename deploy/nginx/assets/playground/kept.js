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

let saidWithoutImages = false;

function fits(data) {
  try {
    sessionStorage.setItem(place, JSON.stringify(data));
    return true;
  } catch {
    return false;
  }
}

const withoutImages = (turn) => turn && {
  ...turn, versions: turn.versions.map((version) => ({ ...version, images: [], next: withoutImages(version.next) })),
};

/** Keeps the plain data of turns; null ends it. The texts are kept where the images do not fit. */
export function keep(data) {
  sessionStorage.removeItem(place);
  if (!data || fits(data)) return;
  if (!fits(withoutImages(data))) {
    tell(t('This conversation has become too long to be kept: a reload loses it.'), true);
  } else if (!saidWithoutImages) {
    saidWithoutImages = true;
    tell(t('The images of this conversation are too large to be kept: a reload loses them.'), true);
  }
}
