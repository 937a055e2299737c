import { createHash } from 'node:crypto';
import { escapeHtml, htmlDocument } from '@tandem/pages';
import { playerScript } from './player-script.ts';
import { playerStyle } from './player-style.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy of the page: its own style and script, the frame of the package, and calls to this server. */
const contentPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(playerStyle)}`,
  `script-src ${hashOf(playerScript)}`,
  "frame-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const texts = {
  opened: 'Opened',
  review: 'Opened again; the result does not change',
  saved: 'Saved',
  completed: 'Completed',
  passed: 'Passed',
  failed: 'Not passed; open the lesson again for another attempt',
  unreachable: 'Not saved yet; trying again',
};

/** The page that plays a package. */
export function playerPage({
  title,
  token,
  launch,
  sequence,
  isReview,
  sandbox,
}: {
  title: string;
  token: string;
  /** The address of the first page, relative to the package. */
  launch: string;
  /** The number of the last request that was recorded. */
  sequence: number;
  isReview: boolean;
  /** The permissions of the frame with the package. */
  sandbox: string;
}) {
  const base = `/v1/public/scorm/${token}`;
  const body = `<body data-commits="${base}/commits" data-sequence="${sequence}" data-texts="${escapeHtml(JSON.stringify(texts))}">
<header>
<h1>${escapeHtml(title)}</h1>
<p role="status">${escapeHtml(isReview ? texts.review : texts.opened)}</p>
</header>
<main><iframe data-src="${escapeHtml(`${base}/content/${launch}`)}" sandbox="${sandbox}" title="${escapeHtml(title)}"></iframe></main>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${playerScript}</script>
</body>`;
  return { body: htmlDocument({ title, style: playerStyle, body }), type: 'text/html; charset=utf-8', contentPolicy };
}
