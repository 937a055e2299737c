const hiddenTags = new Set(['head', 'style', 'script', 'title']);
const blockTags = /^\/?(p|div|tr|table|h[1-6]|li|ul|ol|br|hr|section|article|header|footer|blockquote)$/;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'", '#34': '"' };

/** The text of HTML, with the addresses of links in brackets. Reads each character once, whatever the HTML is like. */
export function textOfHtml(html: string): string {
  const [first = '', ...pieces] = html.split('<');
  const parts = [first];
  let hiddenBy: string | undefined;
  let href: string | undefined;
  for (const piece of pieces) {
    const end = piece.indexOf('>');
    const tag = end < 0 ? piece : piece.slice(0, end);
    const name = /^\/?[a-z0-9]{1,20}/i.exec(tag)?.[0].toLowerCase() ?? '';
    if (hiddenBy !== undefined) {
      if (name !== `/${hiddenBy}`) continue;
      hiddenBy = undefined;
    } else if (hiddenTags.has(name)) {
      hiddenBy = name;
      continue;
    }
    if (blockTags.test(name)) parts.push('\n');
    if (name === 'a') href = /\bhref\s?=\s?["']([^"']+)["']/i.exec(tag)?.[1];
    if (name === '/a' && href) {
      parts.push(` (${href})`);
      href = undefined;
    }
    if (end >= 0) parts.push(piece.slice(end + 1).replace(/\s+/g, ' '));
  }
  return parts
    .join('')
    .replace(/&(amp|lt|gt|quot|nbsp|#39|#34);/g, (_, name: string) => entities[name] as string)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
