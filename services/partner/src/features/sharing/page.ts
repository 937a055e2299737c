import { createHash } from 'node:crypto';
import { escapeHtml } from '@tandem/pages';
import type { ResourceRecord } from '../co-marketing/resource.ts';

const style = `
:root { color-scheme: light dark; --ink: #16202e; --soft: #55627a; --paper: #fff; --ground: #eef1f6; --deep: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef2f8; --soft: #a9b4c6; --paper: #182233; --ground: #0d1420; --deep: #7aa2ff; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground);
  color: var(--ink); font: 1.05rem/1.6 system-ui, sans-serif; }
main { width: 100%; max-width: 36rem; overflow: hidden; background: var(--paper); border-radius: 1rem;
  box-shadow: 0 1rem 3rem rgb(10 20 40 / 12%); }
img { display: block; width: 100%; max-height: 22rem; object-fit: cover; }
article { padding: 2rem; }
h1 { margin: 0 0 .5rem; font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; white-space: pre-line; overflow-wrap: anywhere; }
.caption { font-size: 1.15rem; }
.kind { color: var(--soft); font-size: .9rem; }
a { display: inline-block; padding: .75rem 1.5rem; border-radius: .6rem; background: var(--deep); color: var(--paper);
  font-weight: 600; text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Content-Security-Policy of the page: its own inline style and https images only. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  'img-src https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Renders the public page of a shared resource. All texts are customer data and are escaped.
 * @param brandName the name of the tenant, if it shows one
 */
export function sharePage(resource: ResourceRecord, address: string, brandName?: string): string {
  const {
    name,
    description,
    shareCaption,
    thumbnailUrl,
    category,
    fileType,
    fileSize,
    fileUrl,
    fileId,
    landingPageId,
  } = resource;
  const about = shareCaption || description || '';
  const kind = [category.replaceAll('-', ' '), fileType?.toUpperCase(), fileSize].filter(Boolean).join(' · ');
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(name)}</title>`,
    about && `<meta name="description" content="${escapeHtml(about)}">`,
    '<meta property="og:type" content="website">',
    brandName && `<meta property="og:site_name" content="${escapeHtml(brandName)}">`,
    `<meta property="og:title" content="${escapeHtml(name)}">`,
    `<meta property="og:url" content="${escapeHtml(address)}">`,
    about && `<meta property="og:description" content="${escapeHtml(about)}">`,
    thumbnailUrl && `<meta property="og:image" content="${escapeHtml(thumbnailUrl)}">`,
    `<meta name="twitter:card" content="${thumbnailUrl ? 'summary_large_image' : 'summary'}">`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    thumbnailUrl && `<img src="${escapeHtml(thumbnailUrl)}" alt="">`,
    '<article>',
    brandName && `<p class="kind">${escapeHtml(brandName)}</p>`,
    `<h1>${escapeHtml(name)}</h1>`,
    `<p class="kind">${escapeHtml(kind)}</p>`,
    shareCaption && `<p class="caption">${escapeHtml(shareCaption)}</p>`,
    description && `<p>${escapeHtml(description)}</p>`,
    (fileUrl || fileId || landingPageId) &&
      `<a href="${escapeHtml(address)}/download" rel="nofollow">${landingPageId ? 'Open' : 'Download'}</a>`,
    '</article>',
    '</main>',
    '</body>',
    '</html>',
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}
