import { createHash } from 'node:crypto';
import type { Served } from '@tandem/contract';
import { escapeHtml } from '@tandem/pages';
import { formMark } from '../landing-pages/arrange-html.ts';
import { formHtml, formScript, type ShownForm } from './form-html.ts';
import { pageColors } from './page-colors.ts';
import { pageStyleOf } from './page-style.ts';
import type { PublishedPage } from './published-page.ts';
import { wordsOf } from './words.ts';

type ShownPage = Pick<PublishedPage, 'name' | 'body' | 'seo' | 'style' | 'canonicalUrl'> & {
  form: ShownForm | null;
  locale: string;
  /** Whether search engines may list the page. */
  isListed: boolean;
};

/** Renders a published page. Its only script is that of the form, and images are all it loads. */
export function renderPage(page: ShownPage): Served {
  const { name, body, seo, style, canonicalUrl: url, form, locale, isListed } = page;
  const css = pageStyleOf(pageColors(style), style.fontFamily);
  const words = wordsOf(locale);
  const title = seo.title || name;
  const shownForm = form ? formHtml(form, words) : '';
  const html = `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${metaTags({ title, description: seo.metaDescription, url, isListed })}
<style>${css}</style>
</head>
<body>
<a class="tp-skip" href="#tp-main">${escapeHtml(words.skip)}</a>
<main id="tp-main">
${body.replace(formMark, () => shownForm)}
</main>
${form ? `<script>${formScript}</script>` : ''}
</body>
</html>
`;
  return { body: html, type: 'text/html; charset=utf-8', contentPolicy: policyOf(css, form !== null) };
}

interface Meta {
  title: string;
  description: string | undefined;
  url: string;
  isListed: boolean;
}

function metaTags({ title, description, url, isListed }: Meta): string {
  const tags = [
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    '<meta property="og:type" content="website">',
    `<meta property="og:title" content="${escapeHtml(title)}">`,
    `<meta property="og:url" content="${escapeHtml(url)}">`,
    // The address may have the referral code of a visitor.
    '<meta name="referrer" content="strict-origin-when-cross-origin">',
  ];
  if (description)
    tags.push(
      `<meta name="description" content="${escapeHtml(description)}">`,
      `<meta property="og:description" content="${escapeHtml(description)}">`,
    );
  if (!isListed) tags.push('<meta name="robots" content="noindex, nofollow">');
  return tags.join('\n');
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const formScriptHash = hashOf(formScript);

/** The Content-Security-Policy of a page: its own style, the script of the form, calls to this server, and images. */
function policyOf(css: string, hasForm: boolean): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(css)}`,
    'img-src https: http:',
    ...(hasForm ? [`script-src ${formScriptHash}`, "connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
