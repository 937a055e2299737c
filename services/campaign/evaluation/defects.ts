import { type Brief, unsubscribeField } from './brief.ts';
import type { ScoredCheck } from './score.ts';

type Output = Record<string, unknown> | string;

/** A defect that a good output does not have. */
export interface Defect {
  about: string;
  /** The only check whose score it lowers. */
  check: ScoredCheck;
  /** The kinds of output that can have it. */
  kinds: readonly Brief['kind'][];
  /** The output with the defect; undefined if it does not apply to the case. */
  seed(brief: Brief, output: Output): Output | undefined;
}

const everyKind = ['sequence', 'page', 'email', 'text'] as const;
const messages = ['email', 'text'] as const;
// A line in both languages whose words belong to none, so that it changes no other score.
const neutral = 'Info';

/** The defects that the tests seed into the good answers. */
export const defects: readonly Defect[] = [
  {
    ...{ about: 'an edge to a missing node', check: 'valid', kinds: ['sequence'] },
    seed: (_, output) =>
      changed(output, 'edges', (edges) => [...(edges as []), { edgeId: 'x', source: 'node-1', target: 'x' }]),
  },
  {
    ...{ about: 'a gap in the order of sections', check: 'valid', kinds: ['page'] },
    seed: (_, output) =>
      changed(output, 'sections', (sections) => (sections as object[]).map((one) => ({ ...one, order: 7 }))),
  },
  { ...{ about: 'an open tag', check: 'valid', kinds: messages }, seed: (_, output) => withLine(output, '{% if %}') },
  {
    ...{ about: 'a line in the other language', check: 'language', kinds: everyKind },
    seed: ({ language }, output) =>
      withLine(output, language === 'de' ? 'This is the text of the offer' : 'Das ist der Text zu dem Angebot'),
  },
  {
    ...{ about: 'an unknown field of leads', check: 'mergeFields', kinds: everyKind },
    seed: (_, output) => withLine(output, '{{ lead.shoeSize }}'),
  },
  {
    ...{ about: 'a field in a condition', check: 'mergeFields', kinds: messages },
    seed: (_, output) => withLine(output, '{% if lead.isRich %}Info{% endif %}'),
  },
  ...['*|FNAME|*', '%%firstname%%', '{firstName}', '[Firma]'].map(
    (mark): Defect => ({
      ...{ about: `the mark ${mark}`, check: 'mergeFields', kinds: everyKind },
      seed: (_, output) => withLine(output, mark),
    }),
  ),
  {
    ...{ about: 'no link to unsubscribe', check: 'unsubscribe', kinds: ['email'] },
    seed: (brief, output) => (brief.unsubscribe ? replaced(output, `{{ ${unsubscribeField} }}`, '') : undefined),
  },
  ...['https://elsewhere.example/x', 'https://hofladen.example/', 'hofladen.example', 'info@elsewhere.example'].map(
    (link): Defect => ({
      ...{ about: `the invented address ${link}`, check: 'links', kinds: everyKind },
      seed: (_, output) => withLine(output, link),
    }),
  ),
  {
    ...{ about: 'a link to another page', check: 'links', kinds: ['page'] },
    seed: (_, output) => changed(output, 'content', (html) => `${html}<a href="/prices">${neutral}</a>`),
  },
  {
    ...{ about: 'a link to a missing place', check: 'links', kinds: ['page'] },
    seed: (_, output) => changed(output, 'content', (html) => `${html}<a href="#missing">${neutral}</a>`),
  },
  ...['97 %', '9 €', '$ 5', '12-fach', '10x', '2,000 Teams', 'award-winning', 'Testsieger'].map(
    (claim): Defect => ({
      ...{ about: `the claim ${claim}`, check: 'claims', kinds: everyKind },
      seed: (_, output) => withLine(output, claim),
    }),
  ),
  {
    ...{ about: 'a claim that the briefing forbids', check: 'claims', kinds: everyKind },
    seed: ({ forbidden }, output) => (forbidden ? withLine(output, forbidden[0] as string) : undefined),
  },
  {
    ...{ about: 'an invented quotation', check: 'claims', kinds: ['page'] },
    seed: (_, output) => changed(output, 'content', (html) => `${html}<blockquote>${neutral}</blockquote>`),
  },
  {
    ...{ about: 'too many words', check: 'length', kinds: everyKind },
    seed: ({ kind }, output) => {
      const long = ` ${neutral}`.repeat(kind === 'sequence' ? 25 : 300);
      return kind === 'sequence' ? withSubject(output, 0, (subject) => `${subject}${long}`) : withLine(output, long);
    },
  },
  {
    ...{ about: 'a title without words', check: 'length', kinds: ['page'] },
    seed: (_, output) => changed(output, 'seo', (seo) => ({ ...(seo as object), title: '' })),
  },
  {
    ...{ about: 'no call to action', check: 'callToAction', kinds: everyKind },
    seed: ({ action }, output) => replaced(output, action, neutral),
  },
  {
    ...{ about: 'obeyed instructions', check: 'instructions', kinds: everyKind },
    seed: ({ hostile }, output) => hostile && withLine(output, hostile.obeyed),
  },
  {
    ...{ about: 'two e-mails with one subject', check: 'distinctSubjects', kinds: ['sequence'] },
    seed: (_, output) => {
      const [first] = subjectsOf(output);
      return withSubject(output, 1, () => `${first}!`);
    },
  },
  {
    ...{ about: 'the brand in another spelling', check: 'brand', kinds: everyKind },
    seed: ({ brand }, output) => withLine(output, brand.toUpperCase()),
  },
  {
    ...{ about: 'no brand', check: 'brand', kinds: everyKind },
    seed: ({ brand }, output) => replaced(output, brand, neutral),
  },
  {
    ...{ about: 'the other form of address', check: 'address', kinds: everyKind },
    seed: ({ address }, output) =>
      address && withLine(output, address === 'du' ? 'Wir danken Ihnen' : 'Wir danken euch'),
  },
];

/** Adds a line where the kind of output has room for one. */
function withLine(output: Output, line: string): Output {
  if (typeof output === 'string') return `${output}\n${line}`;
  if ('content' in output) return changed(output, 'content', (html) => `${html}<p>${line}</p>`);
  return changed(output, 'text' in output ? 'text' : 'description', (text) => `${text}\n${line}`);
}

function changed(output: Output, field: string, change: (value: unknown) => unknown): Output {
  if (typeof output === 'string') throw new Error(`A text has no field ${field}`);
  return { ...output, [field]: change(output[field]) };
}

function replaced(output: Output, text: string, by: string): Output {
  return JSON.parse(JSON.stringify(output).replaceAll(text, by));
}

interface Node {
  type: string;
  data: { subjectLine?: string };
}

const isEmail = ({ type }: Node) => type === 'email';
const nodesOf = (output: Output) => (output as { nodes: Node[] }).nodes;
const subjectsOf = (output: Output) =>
  nodesOf(output)
    .filter(isEmail)
    .map(({ data }) => data.subjectLine);

function withSubject(output: Output, index: number, change: (subject: string) => string): Output {
  const node = nodesOf(output).filter(isEmail)[index];
  return changed(output, 'nodes', (nodes) =>
    (nodes as Node[]).map((one) =>
      one === node ? { ...one, data: { ...one.data, subjectLine: change(one.data.subjectLine ?? '') } } : one,
    ),
  );
}
