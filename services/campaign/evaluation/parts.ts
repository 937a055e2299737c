import { DomUtils, parseDocument } from 'htmlparser2';
import { textOfHtml } from '../src/features/templates/html-text.ts';
import type { Brief } from './brief.ts';

/** The parts of an output that the checks read. Missing parts and parts of a wrong type are empty. */
export interface Parts {
  /** Subject lines, in order. */
  subjects: string[];
  /** Title and description for search engines. */
  seo: { title: string; description: string };
  /** The content of a page, the body of an e-mail, or the text. */
  body: string;
  /** Every text, one line each, without placeholders and addresses. */
  lines: string[];
  /** Every text as it is, with placeholders. */
  source: string;
  links: string[];
  /** The texts in which a call to action is expected. */
  actions: string[];
  /** Quotations that are marked as such. */
  quotes: string[];
  /** Number of nodes that send an e-mail. */
  emails: number;
}

/** Reads the parts of an output, which can be anything. */
export function partsOf({ kind }: Pick<Brief, 'kind'>, output: unknown): Parts {
  if (kind === 'sequence') return partsOfSequence(output);
  if (kind === 'page') return partsOfPage(output);
  if (kind === 'text') return parts({ texts: [textOf(output)], body: textOf(output), actions: [textOf(output)] });
  const [subject, preheader, body] = ['subject', 'preheader', 'text'].map((name) => textOf(memberOf(output, name)));
  return parts({
    texts: [subject, preheader, body] as string[],
    subjects: [subject as string],
    body: body as string,
    actions: [body as string],
  });
}

function partsOfSequence(output: unknown): Parts {
  const nodes = listOf(memberOf(output, 'nodes'));
  const emails = nodes.filter((node) => memberOf(node, 'type') === 'email');
  const dataOf = (node: unknown, name: string) => textOf(memberOf(memberOf(node, 'data'), name));
  const subjects = emails.map((node) => dataOf(node, 'subjectLine'));
  return parts({
    texts: [
      ...['name', 'description'].map((name) => textOf(memberOf(output, name))),
      ...nodes.map((node) => dataOf(node, 'label')),
      ...subjects,
    ],
    subjects,
    emails: emails.length,
    actions: subjects,
  });
}

function partsOfPage(output: unknown): Parts {
  const html = textOf(memberOf(output, 'content'));
  const { children } = parseDocument(html);
  const inner = (...tags: string[]) =>
    DomUtils.getElementsByTagName((tag) => tags.includes(tag), children).map((element) =>
      DomUtils.textContent(element),
    );
  const seo = memberOf(output, 'seo');
  const title = textOf(memberOf(seo, 'title'));
  const description = textOf(memberOf(seo, 'metaDescription'));
  const body = textOfHtml(html);
  return parts({
    texts: [
      ...['name', 'description'].map((name) => textOf(memberOf(output, name))),
      ...[title, description, body],
      ...listOf(memberOf(output, 'sections')).map((section) => textOf(memberOf(section, 'label'))),
    ],
    seo: { title, description },
    body,
    quotes: inner('blockquote', 'q'),
    // A button of a page is a link: its content has no forms and scripts.
    actions: inner('a'),
    links: targetsIn(children),
  });
}

/** The targets of links and images, without those that are a place of the page. */
function targetsIn(nodes: ReturnType<typeof parseDocument>['children']): string[] {
  const elements = DomUtils.getElementsByTagName('*', nodes);
  const places = new Set(elements.map(({ attribs }) => `#${attribs['id']}`));
  const targets = elements.flatMap(({ attribs }) => [attribs['href'], attribs['src']]);
  return targets.filter((one) => one !== undefined && !places.has(one) && !/^\{\{[^{}]*\}\}$/.test(one)) as string[];
}

function parts({ texts, links = [], ...others }: Partial<Parts> & { texts: string[] }): Parts {
  const source = texts.join('\n');
  return {
    ...{ subjects: [], seo: { title: '', description: '' }, body: '', actions: [], quotes: [], emails: 0 },
    ...others,
    source,
    lines: withoutAddresses(source)
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ').trim())
      .filter(Boolean),
    links: [...links, ...addressesIn(source)],
  };
}

// Web addresses with and without their scheme, and e-mail addresses.
const address = new RegExp(
  [
    /\b(?:https?:\/\/|www\.)[^\s"'<>)\]]+/,
    /\b[\w.+-]{1,64}@[\w.-]{1,253}\b/,
    /\b[\w-]{1,63}\.(?:com|net|org|io|de|example)\b[^\s"'<>)\]]*/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** The web and e-mail addresses in a text, without the punctuation that follows them. */
export function addressesIn(text: string): string[] {
  return (text.match(address) ?? []).map((one) => one.replace(/[.,;:!?]{1,5}$/, ''));
}

function withoutAddresses(text: string): string {
  return (
    text
      .replaceAll(/\{[{%][^{}]{0,200}\}\}?/g, ' ')
      // The text of HTML has the targets of links in brackets.
      .replaceAll(/\([#/][\w/-]{0,200}\)/g, ' ')
      .replaceAll(address, ' ')
  );
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
