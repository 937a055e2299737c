/**
 * Puts the script of the run-time API before everything else in a page. Its bytes stay as they are otherwise, because the
 * page may be in any encoding that contains ASCII; pages in UTF-16 are rewritten to UTF-8.
 */
export function withRuntime(page: Buffer, address: string): Buffer {
  const text = textOf(page);
  const script = `<script src="${address}"></script>`;
  const at = insertionPoint(text);
  const whole = text.slice(0, at) + script + text.slice(at);
  return isUtf16(page) ? Buffer.from(`\uFEFF${whole}`) : Buffer.from(whole, 'latin1');
}

function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Latin 1 has a character for each byte, so other encodings survive it. */
function textOf(page: Buffer): string {
  if (!isUtf16(page)) return page.toString('latin1');
  return new TextDecoder(page[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(page);
}

/** After the first of the tags that may precede a script: the head, the root element or the document type. */
function insertionPoint(text: string): number {
  // Markup inside of comments is no tag; blanks keep the positions.
  const visible = text.slice(0, 100_000).replaceAll(/<!--[\s\S]*?-->/g, (comment) => ' '.repeat(comment.length));
  for (const tag of [/<head(?:\s[^>]*)?>/i, /<html(?:\s[^>]*)?>/i, /<!doctype[^>]*>/i]) {
    const found = tag.exec(visible);
    if (found) return found.index + found[0].length;
  }
  return text.startsWith('\u00EF\u00BB\u00BF') ? 3 : 0;
}
