import type { ai } from '@tandem/campaign-contract';
import { requiredText, text } from '@tandem/contract';
import { z } from 'zod';

/** A language of the product. */
export type Language = 'en' | 'de';

/** Maximum lengths of parts of the output, and the number of e-mails. */
export interface Limits {
  emails?: number;
  /** Characters of each subject line. */
  subject?: number;
  /** Characters of the title and of the description for search engines. */
  seoTitle?: number;
  seoDescription?: number;
  /** Words of the content of a page or of the body of an e-mail. */
  words?: number;
  /** Characters of a plain text. */
  characters?: number;
}

/** Text that tries to change the instructions, as it is found in data that users paste into a request. */
export interface Hostile {
  text: string;
  /** The field of the request that contains it. */
  field: 'prompt' | 'industry' | 'context';
  /** Appears only in the output of a model that obeys: the request does not contain it. */
  obeyed: string;
}

/** The wishes of a user, from which both the request and the checks are derived. */
export interface Brief {
  /** Names the case in the scores. */
  about: string;
  /** The operation, and for `email` and `text` whether it has a `responseSchema`. */
  kind: 'sequence' | 'page' | 'email' | 'text';
  /** The language of the output. */
  language: Language;
  /** The language of the briefing, if it is another one. */
  briefedIn?: Language;
  task: string;
  audience: string;
  goal: string;
  tone: string;
  /** The German form of address. */
  address?: 'Sie' | 'du';
  industry?: string;
  /** The facts that the output can claim, and the links that it can have. */
  facts: readonly string[];
  forbidden?: readonly string[];
  /** The exact words of the call to action. */
  action: string;
  /** The spelling of the brand. */
  brand: string;
  /** The placeholders that exist for the message. */
  mergeFields?: readonly string[];
  /** Whether the message must have a link to unsubscribe. */
  unsubscribe?: boolean;
  emailCount?: string;
  limits: Limits;
  hostile?: Hostile;
}

/** The placeholder of the link to unsubscribe. */
export const unsubscribeField = 'unsubscribeUrl';

/** The output of a case of kind `email`: fields of a template (POST /v1/templates). */
export const EmailText = z.object({
  subject: requiredText(500),
  preheader: text(500),
  text: requiredText(20_000),
});

interface Words {
  language: Record<Language, string>;
  fields: Record<'audience' | 'goal' | 'tone' | 'facts' | 'action' | 'brand' | 'forbidden' | 'note', string>;
  /** The place of the call to action. */
  places: Record<Brief['kind'], string>;
  address: Record<'Sie' | 'du', string>;
  placeholders(fields: readonly string[]): string;
  unsubscribe: string;
  limits: Record<keyof Limits, (max: number) => string>;
}

const english: Words = {
  language: { en: 'Write in English.', de: 'Write in German.' },
  fields: {
    ...{
      audience: 'Audience',
      goal: 'Goal',
      tone: 'Tone',
      facts: 'Facts; claim nothing else and link to nothing else',
    },
    action: 'Call to action, in exactly these words',
    brand: 'Brand, in exactly this spelling',
    forbidden: 'Never claim',
    note: 'Note of a customer',
  },
  places: { sequence: 'in a subject line', page: 'on a link', email: 'in the text', text: 'in the text' },
  address: { Sie: 'Address readers as "Sie".', du: 'Address readers as "du".' },
  placeholders: (fields) => `Placeholders: no others than ${fields.join(', ')}.`,
  unsubscribe: 'Include the link to unsubscribe.',
  limits: {
    emails: (max) => `Exactly ${max} e-mails.`,
    subject: (max) => `Subject lines: at most ${max} characters.`,
    seoTitle: (max) => `Title for search engines: at most ${max} characters.`,
    seoDescription: (max) => `Description for search engines: at most ${max} characters.`,
    words: (max) => `Length: at most ${max} words.`,
    characters: (max) => `Length: at most ${max} characters.`,
  },
};

const german: Words = {
  language: { en: 'Schreibe auf Englisch.', de: 'Schreibe auf Deutsch.' },
  fields: {
    ...{ audience: 'Zielgruppe', goal: 'Ziel', tone: 'Ton', action: 'Handlungsaufforderung, genau in diesen Worten' },
    facts: 'Fakten; behaupte nichts anderes und verlinke nichts anderes',
    brand: 'Marke, genau in dieser Schreibweise',
    forbidden: 'Behaupte nie',
    note: 'Notiz eines Kunden',
  },
  places: { sequence: 'in einem Betreff', page: 'auf einem Link', email: 'im Text', text: 'im Text' },
  address: { Sie: 'Sprich die Leser mit „Sie“ an.', du: 'Sprich die Leser mit „du“ an.' },
  placeholders: (fields) => `Platzhalter: keine anderen als ${fields.join(', ')}.`,
  unsubscribe: 'Mit dem Link zum Abmelden.',
  limits: {
    emails: (max) => `Genau ${max} E-Mails.`,
    subject: (max) => `Betreffzeilen: höchstens ${max} Zeichen.`,
    seoTitle: (max) => `Titel für Suchmaschinen: höchstens ${max} Zeichen.`,
    seoDescription: (max) => `Beschreibung für Suchmaschinen: höchstens ${max} Zeichen.`,
    words: (max) => `Länge: höchstens ${max} Wörter.`,
    characters: (max) => `Länge: höchstens ${max} Zeichen.`,
  },
};

/** The body of the request for a brief. */
export function requestOf(brief: Brief): { prompt: string } & Record<string, unknown> {
  const { kind, tone, goal, emailCount, hostile } = brief;
  const textIn = (field: Hostile['field']) => (hostile?.field === field ? hostile.text : undefined);
  const prompt = promptOf(brief, textIn('prompt'));
  const industry = [brief.industry, textIn('industry')].filter(Boolean).join('. ') || undefined;
  if (kind === 'sequence') return { prompt, industry, tone, emailCount } satisfies Body<'generateSequence'>;
  if (kind === 'page') return { prompt, industry, tone, goal } satisfies Body<'generateLandingPage'>;
  const note = textIn('context');
  return {
    prompt,
    ...(note !== undefined && { context: { customerNote: note } }),
    ...(kind === 'email' && { responseSchema: z.toJSONSchema(EmailText) }),
  } satisfies Body<'generateContent'>;
}

type Body<Name extends keyof typeof ai> = z.input<(typeof ai)[Name]['body']>;

function promptOf(brief: Brief, note: string | undefined): string {
  const { kind, task, audience, goal, tone, facts, action, brand, forbidden, mergeFields, limits } = brief;
  const words = (brief.briefedIn ?? brief.language) === 'de' ? german : english;
  const names = words.fields;
  const isContent = kind === 'email' || kind === 'text';
  const fields = [...(mergeFields ?? []), ...(brief.unsubscribe ? [unsubscribeField] : [])];
  return [
    task,
    `${names.audience}: ${audience}`,
    ...(kind === 'page' ? [] : [`${names.goal}: ${goal}`]),
    ...(isContent ? [`${names.tone}: ${tone}`] : []),
    `${names.brand}: ${brand}`,
    `${names.action} ${words.places[kind]}: ${action}`,
    `${names.facts}:\n${facts.map((fact) => `- ${fact}`).join('\n')}`,
    ...(forbidden ? [`${names.forbidden}: ${forbidden.join('; ')}`] : []),
    ...(fields.length ? [words.placeholders(fields.map((field) => `{{ ${field} }}`))] : []),
    ...(brief.unsubscribe ? [words.unsubscribe] : []),
    ...Object.entries(limits).map(([name, max]) => words.limits[name as keyof Limits](max)),
    ...(note === undefined ? [] : [`${names.note}: ${note}`]),
    ...(brief.address ? [words.address[brief.address]] : []),
    words.language[brief.language],
  ].join('\n');
}
