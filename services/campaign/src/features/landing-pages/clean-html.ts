import sanitizeHtml from 'sanitize-html';

const options: sanitizeHtml.IOptions = {
  allowedTags: [
    ...sanitizeHtml.defaults.allowedTags,
    ...['img', 'picture', 'source', 'button', 'label', 'details', 'summary', 'del', 'ins'],
  ],
  allowedAttributes: {
    '*': [
      'class',
      'id',
      'title',
      'lang',
      'dir',
      'role',
      'aria-label',
      'aria-hidden',
      'aria-describedby',
      'width',
      'height',
    ],
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'srcset', 'alt', 'loading'],
    source: ['srcset', 'media', 'type'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    ol: ['start'],
    button: ['type'],
    label: ['for'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'], source: ['http', 'https'] },
  allowProtocolRelative: false,
  // Deeper elements are left out: no page needs them, and every parser can read what is left.
  nestingLimit: 100,
  // A page that opens in a new window must not control this one.
  transformTags: {
    a: (tagName, attribs) => ({
      tagName,
      attribs: { ...attribs, ...(attribs.target && { rel: 'noopener noreferrer' }) },
    }),
  },
};

/** How deep the elements of HTML may be nested. Deeper ones make the parser's time grow with the square of the length. */
export const levelsMax = 250;

/** The HTML is nested deeper than it may be. */
export class TooDeep extends Error {}

/**
 * HTML without anything that runs or leads out of the page: no scripts, styles, event handlers, frames, forms. It takes
 * up to 0.1 s for the longest content, so it belongs in a worker thread.
 * @throws TooDeep as soon as an element is deeper than `levelsMax`
 */
export function cleanHtml(html: string): string {
  let levels = 0;
  return sanitizeHtml(html, {
    ...options,
    onOpenTag() {
      if (++levels > levelsMax) throw new TooDeep();
    },
    onCloseTag() {
      levels--;
    },
  });
}
