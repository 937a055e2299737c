/**
 * The script of the page that plays a package: it passes the data that the package reports on to the server. Requests
 * follow one another, and only the newest data are sent, because each request has all of them. A failed request is repeated
 * after a growing wait; once the server has refused one, nothing more is sent.
 */
export const playerScript = `
const frame = document.querySelector('iframe');
const status = document.querySelector('[role=status]');
const texts = JSON.parse(document.body.dataset.texts);
const target = document.body.dataset.commits;
const waitsMs = [1000, 2000, 5000, 10000, 20000, 30000, 60000];
let waiting;
let isSending = false;
let isOver = false;
let sequence = Number(document.body.dataset.sequence);
let failures = 0;
let since = performance.now();
const show = (text, kind) => {
  status.textContent = text;
  status.className = kind || '';
};
const bodyOf = (message) => {
  const now = performance.now();
  const secondsSpent = Math.min(86400, Math.max(0, (now - since) / 1000));
  since = now;
  sequence++;
  return JSON.stringify({ ...message.data, finished: message.finished, sequence, secondsSpent });
};
const send = async () => {
  if (isSending || isOver || !waiting) return;
  isSending = true;
  const message = waiting;
  waiting = undefined;
  const body = bodyOf(message);
  try {
    const response = await window.fetch(target, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body, keepalive: body.length < 60000,
    });
    const reply = await response.json();
    if (response.ok) {
      failures = 0;
      shown(reply.data);
    } else if (response.status === 429 || response.status >= 500) {
      again(message);
    } else {
      isOver = true;
      show(reply.message, 'bad');
    }
  } catch {
    again(message);
  }
  isSending = false;
  if (failures === 0) send();
};
const again = (message) => {
  // Data that came meanwhile include these.
  waiting = waiting ? { data: waiting.data, finished: waiting.finished || message.finished } : message;
  show(texts.unreachable, 'bad');
  setTimeout(send, waitsMs[Math.min(failures, waitsMs.length - 1)]);
  failures++;
};
const shown = ({ status: state, passed, attemptScore: score, recorded }) => {
  const points = score === null ? '' : ' · ' + Math.round(score) + ' %';
  if (passed === true || state === 'completed') show((passed ? texts.passed : texts.completed) + points, 'good');
  else if (passed === false) show(texts.failed + points, 'bad');
  else show(recorded ? texts.saved : texts.review);
};
addEventListener('message', ({ source, data }) => {
  // Only the package in the frame reports, and it can do nothing else here.
  if (source !== frame.contentWindow || typeof data !== 'object' || data === null || data.scorm !== 1) return;
  const finished = data.finished === true || waiting?.finished === true;
  waiting = { data: data.data, finished };
  if (failures === 0) send();
});
frame.src = frame.dataset.src;
`;
