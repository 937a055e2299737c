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
  // Deeper than any page is built, and shallow enough for every reader of it.
  nestingLimit: 100,
  // What opens in another window must not reach back into this one.
  transformTags: {
    a: (tagName, attribs) => ({
      tagName,
      attribs: { ...attribs, ...(attribs.target && { rel: 'noopener noreferrer' }) },
    }),
  },
};

/** HTML without anything that runs or leads out of the page: no scripts, styles, event handlers, frames, forms. */
export function cleanHtml(html: string): string {
  return sanitizeHtml(html, options);
}
