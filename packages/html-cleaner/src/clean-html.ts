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

// Deeper nesting makes the parsing time quadratic in the length.
const levelsMax = 250;

/** HTML without active content, or an error message if it cannot be cleaned. */
export type Cleaned = { html: string } | { error: string };

/** The HTML is nested too deeply. */
class TooDeepError extends Error {}

/**
 * Removes active content from HTML: scripts, styles, event handlers, frames and forms. Takes up to 0.1 s for the
 * longest content, so it must run in a worker thread.
 * @throws TooDeepError as soon as an element is nested too deeply
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

/** Cleans HTML as `cleanHtml` does; returns a message for HTML that is nested too deeply. */
export function tryCleanHtml(html: string): Cleaned {
  try {
    return { html: cleanHtml(html) };
  } catch (error) {
    if (error instanceof TooDeepError) return { error: `Must have at most ${levelsMax} nested levels` };
    throw error;
  }
}
