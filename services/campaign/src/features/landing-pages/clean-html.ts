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
  // Deeper elements are removed: pages do not need them, and some parsers cannot handle them.
  nestingLimit: 100,
  // A page opened in a new window must not control this one.
  transformTags: {
    a: (tagName, attribs) => ({
      tagName,
      attribs: { ...attribs, ...(attribs.target && { rel: 'noopener noreferrer' }) },
    }),
  },
};

/** Maximum nesting of HTML elements. Deeper nesting makes the parsing time quadratic in the length. */
export const levelsMax = 250;

/** The HTML is nested too deeply. */
export class TooDeepError extends Error {}

/**
 * Removes active content from HTML: scripts, styles, event handlers, frames and forms. Takes up to 0.1 s for the
 * longest content, so it must run in a worker thread.
 * @throws TooDeepError as soon as an element is deeper than `levelsMax`
 */
export function cleanHtml(html: string): string {
  let levels = 0;
  return sanitizeHtml(html, {
    ...options,
    onOpenTag() {
      if (++levels > levelsMax) throw new TooDeepError();
    },
    onCloseTag() {
      levels--;
    },
  });
}
