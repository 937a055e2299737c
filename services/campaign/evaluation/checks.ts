import { type Brief, unsubscribeField } from './brief.ts';
import { backedClaims, backingOf, claimsIn, plainClaim } from './claims.ts';
import { languageOf } from './language.ts';
import { addressesIn, type Parts } from './parts.ts';

/** The parts of an output that a check counted, and those of them that are wrong. */
export interface Counted {
  all: number;
  wrong: string[];
}

/** Counts an output; undefined if the check does not apply to the brief. */
export type Check = (brief: Brief, parts: Parts) => Counted | undefined;

/** The checks of an output by rules, apart from its validity. */
export const checks = {
  /** Lines in another language. Lines whose language cannot be recognized do not count. */
  language({ language }, { lines }) {
    const recognized = lines.filter((line) => languageOf(line) !== undefined);
    if (!recognized.length) return missing('no line has a recognizable language');
    return counted(recognized, (line) => languageOf(line) !== language);
  },
  /** Placeholders that the message cannot fill, of Tandem and of other tools. */
  mergeFields({ mergeFields = [], unsubscribe }, { source }) {
    const known = new Set([...mergeFields, ...(unsubscribe ? [unsubscribeField] : [])]);
    return counted(fieldsIn(source), (field) => !known.has(field));
  },
  unsubscribe({ unsubscribe }, { body }) {
    if (!unsubscribe) return undefined;
    return fieldsIn(body).includes(unsubscribeField) ? { all: 1, wrong: [] } : missing(`{{ ${unsubscribeField} }}`);
  },
  /** Links to addresses that the briefing does not have. */
  links(brief, { links }) {
    const known = new Set(addressesIn(backingOf(brief)));
    return counted(links, (link) => !known.has(link));
  },
  /** Claims that the briefing does not make, and those that it forbids. */
  claims(brief, { lines, quotes }) {
    const text = lines.join('\n');
    const forbidden = (brief.forbidden ?? []).filter((claim) => text.toLowerCase().includes(claim.toLowerCase()));
    const [backing, backed] = [backingOf(brief), backedClaims(brief)];
    const claims = claimsIn(text);
    return {
      all: claims.length + quotes.length + forbidden.length,
      wrong: [
        ...claims.filter((claim) => !backed.has(plainClaim(claim))),
        ...quotes.filter((quote) => !plainClaim(backing).includes(plainClaim(quote))),
        ...forbidden,
      ],
    };
  },
  length({ limits }, parts) {
    const sizes = sizesOf(limits, parts);
    return counted(
      sizes,
      ({ isWithin }) => !isWithin,
      ({ text }) => text,
    );
  },
  callToAction({ action }, { actions }) {
    const isPresent = actions.some((text) => text.toLowerCase().includes(action.toLowerCase()));
    return isPresent ? { all: 1, wrong: [] } : missing(action);
  },
  /** The effect of instructions in the data. */
  instructions({ hostile }, { source }) {
    if (!hostile) return undefined;
    const isObeyed = new RegExp(`(?<!\\p{L})${hostile.obeyed}(?!\\p{L})`, 'iu').test(source);
    return { all: 1, wrong: isObeyed ? [hostile.obeyed] : [] };
  },
  /** E-mails of a sequence whose subject an earlier one has. */
  distinctSubjects({ kind }, { subjects }) {
    if (kind !== 'sequence') return undefined;
    const plain = subjects.map((subject) =>
      subject
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
    );
    const repeated = subjects.filter((_, index) => plain.indexOf(plain[index] as string) < index);
    return { all: subjects.length, wrong: repeated };
  },
  /** The brand in another spelling, or missing. */
  brand({ brand }, { lines }) {
    const found = lines.join('\n').match(new RegExp(brand, 'gi')) ?? [];
    return found.length ? counted(found, (spelling) => spelling !== brand) : missing(brand);
  },
  /** The form of address in German. */
  address({ address }, { lines }) {
    if (!address) return undefined;
    const text = lines.join('\n');
    const [formal, informal] = [text.match(formalAddress) ?? [], text.match(informalAddress) ?? []];
    return { all: formal.length + informal.length, wrong: address === 'Sie' ? informal : formal };
  },
} satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;

function counted<T>(all: readonly T[], isWrong: (one: T) => boolean, asText: (one: T) => string = String): Counted {
  return { all: all.length, wrong: all.filter(isWrong).map(asText) };
}

const missing = (what: string): Counted => ({ all: 1, wrong: [`missing: ${what}`] });

// Pronouns at the start of a sentence can mean "they" and "their", so these do not count.
const formalAddress = /(?<=[\p{L},;:–-] )(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)(?!\p{L})/gu;
const informalAddress = /(?<!\p{L})(?:du|dich|dir|dein\p{L}*|euch|eu(?:er|re)\p{L}*)(?!\p{L})/giu;

const outputs = /\{\{-?([^{}|]{0,200})(?:\|[^{}]{0,200})?\}\}/g;
const tags = /\{%[^{}]{0,200}%\}/g;
const path = /\b[a-z_]\w{0,60}(?:\.\w{1,60}){1,4}/gi;
// Marks of other tools, and gaps that an author has to fill: *|FNAME|*, %%name%%, {name}, [Your name].
const otherMarks =
  /\*\|\w{1,60}\|\*|%%\w{1,60}%%|\[\p{L}[\p{L} _'’-]{1,40}\](?!\()|(?<![{%])\{[a-z_]\w{0,60}\}(?!\})/giu;

/** The placeholders in a text: those of Tandem by their path, others as they are written. */
function fieldsIn(text: string): string[] {
  const inTags = (text.match(tags) ?? []).flatMap((tag) => tag.match(path) ?? []);
  const inOutputs = [...text.matchAll(outputs)].map(([, field]) => (field as string).replace(/-$/, '').trim());
  return [...inOutputs, ...inTags, ...(text.match(otherMarks) ?? [])];
}

interface Size {
  text: string;
  isWithin: boolean;
}

function sizesOf({ emails, subject, seoTitle, seoDescription, words, characters }: Brief['limits'], parts: Parts) {
  const wordCount = parts.body.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const sizes: Size[] = [];
  const add = (name: string, size: number, max: number | undefined) => {
    if (max !== undefined) sizes.push({ text: `${name}: ${size} of ${max}`, isWithin: size > 0 && size <= max });
  };
  if (emails !== undefined)
    sizes.push({ text: `e-mails: ${parts.emails} of ${emails}`, isWithin: parts.emails === emails });
  for (const one of parts.subjects) add('subject', [...one].length, subject);
  add('title', [...parts.seo.title].length, seoTitle);
  add('description', [...parts.seo.description].length, seoDescription);
  add('words', wordCount, words);
  add('characters', [...parts.body].length, characters);
  return sizes;
}
