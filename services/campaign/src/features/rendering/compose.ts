import { renderLetter } from '@tandem/mail';
import { escapeHtml } from '@tandem/pages';
import type { RenderedTemplate, TemplateContent } from '../templates/render.ts';
import { storableText } from '../templates/storable-text.ts';
import type { TemplateRenderer } from '../templates/template-renderer.ts';

const subjectMax = 300;

export interface ComposeContext {
  data: Record<string, unknown>;
  tenantName: string;
  /** The language of the message (BCP 47). */
  locale: string;
  unsubscribeUrl: string;
  preferencesUrl: string;
  /** Returns the tracked address of a link. */
  tracked(url: string): string;
  /** The address of the open pixel; null for a test message, which is not tracked. */
  pixelUrl: string | null;
}

export interface Composed {
  subject: string;
  html: string;
  text: string;
  missing: string[];
}

/**
 * Renders a marketing message for one lead: its texts, tracked links, the open pixel, and a footer to unsubscribe.
 * @throws TemplateError when it cannot be rendered, ShareTimeoutError when the threads are busy
 */
export async function composeMessage(
  renderer: Pick<TemplateRenderer, 'render'>,
  tenantId: number,
  source: TemplateContent,
  context: ComposeContext,
): Promise<Composed> {
  return finish(await renderer.render(source, dataOf(context), tenantId), context);
}

function dataOf({ data, unsubscribeUrl, preferencesUrl, tenantName }: ComposeContext): Record<string, unknown> {
  return { ...data, unsubscribeUrl, preferencesUrl, tenant: { name: tenantName } };
}

function finish(rendered: RenderedTemplate, context: ComposeContext): Composed {
  const { tenantName, locale, unsubscribeUrl } = context;
  const words = wordsOf(locale);
  const { html, missing } = rendered;
  const subject = oneLine(rendered.subject ?? '');
  const text = rendered.text ?? '';
  const footer = [words.why(tenantName), `${words.unsubscribe}: ${unsubscribeUrl}`];
  if (!html) {
    const letter = renderLetter({
      subject,
      language: locale,
      preview: subject,
      title: subject,
      paragraphs: paragraphsOf(text),
      footer: [words.why(tenantName)],
    });
    return {
      subject,
      text: `${letter.text.trimEnd()}\n${footer[1]}\n`,
      html: withPixel(withFooter(letter.html, context, words.unsubscribe), context.pixelUrl),
      missing,
    };
  }
  return {
    subject,
    text: text.includes(unsubscribeUrl) ? text : `${text}\n\n-- \n${footer.join('\n')}\n`,
    html: finished(withNames(html, subject, locale), context, words),
    missing,
  };
}

/** A value of a lead can be as long as a form allows; a subject is a line of at most 300 characters. */
function oneLine(subject: string): string {
  return storableText(subject.replaceAll(/\s+/g, ' ').trim().slice(0, subjectMax));
}

/** Adds language and title to a document without them, which screen readers need. Parts of a document stay as they are. */
function withNames(html: string, subject: string, locale: string): string {
  const withLanguage = /<html\b[^<>]*?\blang\s*=/i.test(html)
    ? html
    : html.replace(/<html\b/i, (start) => `${start} lang="${escapeHtml(locale)}"`);
  if (!subject || /<title\b/i.test(html)) return withLanguage;
  return withLanguage.replace(/<\/head>/i, (end) => `<title>${escapeHtml(subject)}</title>\n${end}`);
}

function finished(html: string, context: ComposeContext, words: Words): string {
  const tracked = trackLinks(html, context);
  const isWithFooter = html.includes(escapeHtml(context.unsubscribeUrl)) || html.includes(context.unsubscribeUrl);
  const complete = isWithFooter
    ? tracked
    : withFooter(tracked, context, words.unsubscribe, words.why(context.tenantName));
  return withPixel(complete, context.pixelUrl);
}

/** Replaces the targets of links to web pages. Others, such as mailto and tel, and those to unsubscribe, stay. */
export function trackLinks(html: string, { tracked, unsubscribeUrl, preferencesUrl }: ComposeContext): string {
  return html.replace(
    // A tag ends at the next one at the latest, so that unclosed tags take no time that grows with their square.
    /(<a\b[^<>]*?\bhref\s*=\s*)(?:"([^"]*)"|'([^']*)')/gi,
    (whole, before: string, double?: string, single?: string) => {
      const url = unescapeHtml(double ?? single ?? '').trim();
      if (!/^https?:\/\//i.test(url) || url === unsubscribeUrl || url === preferencesUrl) return whole;
      // In ASCII, as a redirect needs it; an address that is none stays as it is.
      const target = URL.parse(url)?.href;
      return target === undefined ? whole : `${before}"${escapeHtml(tracked(target))}"`;
    },
  );
}

function withFooter(html: string, { unsubscribeUrl }: ComposeContext, label: string, why?: string): string {
  const lines = [
    ...(why === undefined ? [] : [escapeHtml(why)]),
    `<a href="${escapeHtml(unsubscribeUrl)}" style="color:#667085">${escapeHtml(label)}</a>`,
  ];
  return beforeEnd(
    html,
    `<p style="margin:24px 0;text-align:center;font:13px/1.5 Helvetica,Arial,sans-serif;color:#667085">${lines.join('<br>')}</p>`,
  );
}

function withPixel(html: string, url: string | null): string {
  if (url === null) return html;
  return beforeEnd(html, `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;border:0">`);
}

function beforeEnd(html: string, addition: string): string {
  const end = html.toLowerCase().lastIndexOf('</body>');
  return end < 0 ? html + addition : html.slice(0, end) + addition + html.slice(end);
}

function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|([a-z]{2,5}));/gi, (whole, code?: string, named?: string) => {
    if (code !== undefined) return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole;
    return entities[(named ?? '').toLowerCase()] ?? whole;
  });
}

interface Words {
  unsubscribe: string;
  why(tenantName: string): string;
}

const english: Words = {
  unsubscribe: 'Unsubscribe',
  why: (tenantName) => `You get this message because ${tenantName} has your address.`,
};
const german: Words = {
  unsubscribe: 'Abmelden',
  why: (tenantName) => `Sie erhalten diese Nachricht, weil ${tenantName} Ihre Adresse hat.`,
};

function wordsOf(locale: string): Words {
  return locale.toLowerCase().startsWith('de') ? german : english;
}
