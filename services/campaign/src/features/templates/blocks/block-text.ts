import { isBlockLink } from '@tandem/campaign-contract';
import { escapeHtml } from '@tandem/pages';

const placeholders = /\{\{.*?\}\}|\{%.*?%\}/gs;
const links = /\[([^[\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g;
// Stand for what must stay as it is while the text around it is escaped; nobody types them.
const [opens, closes] = ['\ue000', '\ue001'];
const kept = /\ue000(\d+)\ue001/g;

/** Keeps parts of a text from being changed. */
function createKeeper() {
  const parts: string[] = [];
  const restored = (text: string): string =>
    text.replace(kept, (_, index: string) => restored(parts[Number(index)] ?? ''));
  return { keep: (part: string) => `${opens}${parts.push(part) - 1}${closes}`, restored };
}

const withoutMarks = (text: string) => text.replace(/[\ue000\ue001]/g, '');

/** A value of an attribute, or a text without formatting. Placeholders stay; their values are escaped when they are put in. */
export function escapedText(source: string): string {
  const { keep, restored } = createKeeper();
  return restored(escapeHtml(withoutMarks(source).replace(placeholders, keep)));
}

/** Paragraphs with bold and italic words and links. */
export function paragraphsOf(source: string, linkStyle: string): string[] {
  const { keep, restored } = createKeeper();
  const text = withoutMarks(source)
    .replace(placeholders, keep)
    .replace(links, (whole, label: string, url: string) =>
      isBlockLink(restored(url))
        ? keep(`<a href="${escapeHtml(url)}" target="_blank" style="${linkStyle}">${emphasized(escapeHtml(label))}</a>`)
        : whole,
    );
  return emphasized(escapeHtml(text))
    .split(/\r?\n[ \t]*\r?\n\s*/)
    .map((paragraph) => restored(paragraph.trim().replace(/\r?\n/g, '<br>')))
    .filter((paragraph) => paragraph !== '');
}

/** The targets of links in a text that are not allowed. */
export function wrongLinksOf(source: string): string[] {
  const { keep, restored } = createKeeper();
  const found = withoutMarks(source).replace(placeholders, keep).matchAll(links);
  return [...found].map(([, , url = '']) => restored(url)).filter((url) => !isBlockLink(url));
}

function emphasized(html: string): string {
  return html
    .replace(/\*\*(?=[^\s*])([^*\n]{1,5000})\*\*/g, '<strong>$1</strong>')
    .replace(/\*(?=[^\s*])([^*\n]{1,5000})\*/g, '<em>$1</em>');
}
