// One playground call: the request, the answer as it arrives, and the notes about it.

import { ApiError, open } from '../common/api.js';
import { frames } from '../common/event_stream.js';
import { locale, said, t } from '../common/dom.js';

/** Reads the answer into {model, first, last, pieces, …}; the times are those of arrival. */
async function receive(response, answer, facts) {
  const heard = () => {
    facts.last = performance.now();
    facts.first ??= facts.last;
  };
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    const { content, ...rest } = await response.json();
    heard();
    answer.append(content);
    Object.assign(facts, rest);
    return;
  }
  let whole = false;
  for await (const frame of frames(response)) {
    if (frame.error) throw new ApiError(said(frame.error, frame.sentence), frame);
    if (frame.reasoning) { heard(); answer.think(frame.reasoning); }
    if (frame.token) { heard(); facts.pieces += 1; answer.append(frame.token); }
    if (frame.content !== undefined) { heard(); answer.append(frame.content); whole = true; }
    if (frame.done) { Object.assign(facts, frame); whole = true; }
  }
  if (!whole) throw new ApiError(t('The answer was cut off.'));
}

const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
const count = (number) => number.toLocaleString(locale);

const endings = {
  length: t('Cut off at the token limit.'), filter: t('Cut off by the provider’s content filter.'),
  tool: t('The model asked for a tool, which the playground does not have.'),
};

// Where a person can mend what went wrong, by the contract's words for it.
const remedies = {
  key_refused: t('Check the keys'), not_allowed: t('Check the keys'), out_of_credit: t('Check the keys'),
  address_changed: t('Open its keys'), key_unavailable: t('Open its keys'),
  unknown_model: t('Look at its models'), wrong_api: t('Look at its models'),
};

/** What is known of an answer, as [words, kind]. */
function told({ who, asked, name, started, first, last, pieces, model, usage, finishReason, finishWord, keyName }) {
  const tokens = usage?.outputTokens ?? pieces;
  const seconds = (last - first) / 1000;
  return [
    [[who, model === asked ? name : model, keyName].filter(Boolean).join(' · '), 'fact'],
    last ? [duration(last - started), 'fact'] : null,
    pieces > 1 ? [t('first token {time}', { time: duration(first - started) }), 'more'] : null,
    pieces > 1 && seconds > 0.1 ? [t('{count} tokens/s', { count: count(Math.round(tokens / seconds)) }), 'more'] : null,
    usage ? [t('{input} tokens in, {output} out', {
      input: count(usage.inputTokens), output: count(usage.outputTokens),
    }), 'more'] : null,
    endings[finishReason] ? [endings[finishReason], 'warn'] : null,
    finishWord ? [t('The provider ended the answer with “{word}”.', { word: finishWord }), 'warn'] : null,
  ].filter((line) => line?.[0]);
}

/**
 * Sends the body and lets the answer grow to its end. Resolves to the error, unless
 * the person has stopped the call. headed: the head of the answer has provider and model, so its foot has not.
 */
export async function playgroundCall({ body, signal, answer, who, name, headed }) {
  const facts = { who: headed ? '' : who, name: headed ? '' : name, asked: body.modelId, started: performance.now(), pieces: 0, model: body.modelId };
  let state = 'done';
  let error = null;
  try {
    const accept = body.stream ? 'text/event-stream' : 'application/json';
    const response = await open('POST', '/user/providers/playground', { body, signal, accept });
    await receive(response, answer, facts);
  } catch (problem) {
    state = signal.aborted ? 'stopped' : 'failed';
    error = signal.aborted ? null : problem;
  }
  for (const [words, kind] of told(facts)) answer.note(words, kind);
  if (state === 'stopped') answer.note(t('Stopped.'));
  if (error) answer.fail(error);
  if (remedies[error?.reason]) answer.point(remedies[error.reason], `/user/providers#provider-${body.providerId}`);
  await answer.finish(state);
  return error;
}
