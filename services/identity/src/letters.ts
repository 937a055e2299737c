import type { Letter } from '@tandem/mail';

/** The reader of a letter, with language and time zone. */
export interface Reader {
  firstName: string;
  tenantName: string;
  locale: string;
  timezone: string;
}

/** The texts of a letter in one language. */
interface Words {
  subject: string;
  preview: string;
  paragraphs: string[];
  button?: string;
  notes?: string[];
  /** Why the reader gets the message; by default, because an account has this address. */
  reason?: string;
}

/** The languages of letters and notices. */
export type Language = 'en' | 'de';
type Languages = Record<Language, Words>;

/** A text in each language. A function gets the form in which its reader writes times: see `timeFor`. */
export type Texts = Record<Language, string | ((reader: TimeForm) => string)>;
type TimeForm = Pick<Reader, 'locale' | 'timezone'>;

const common = {
  en: {
    hello: (name: string) => `Hello ${name},`,
    hint: 'If the button does not work, open this address:',
    footer: (tenant: string) => `Sent by Tandem for ${tenant}.`,
    reason: (tenant: string) =>
      `You receive this message because this address was entered for an account at ${tenant}.`,
  },
  de: {
    hello: (name: string) => `Hallo ${name},`,
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    footer: (tenant: string) => `Von Tandem für ${tenant} verschickt.`,
    reason: (tenant: string) =>
      `Sie erhalten diese Nachricht, weil diese Adresse für ein Konto bei ${tenant} angegeben wurde.`,
  },
};

/** The language of a letter: German for German locales, else English. */
function languageOf(locale: string): Language {
  return /^de\b/i.test(locale) ? 'de' : 'en';
}

/** A text in the language of its reader. */
export function textFor(reader: TimeForm, texts: Texts): string {
  const text = texts[languageOf(reader.locale)];
  return typeof text === 'string' ? text : text(reader);
}

/** A time as the reader writes it, with its zone. */
export function timeFor({ locale, timezone }: TimeForm, at: Date): string {
  const language = languageOf(locale);
  // The locale decides the form of the date only where the letter is in its language.
  const form = locale.toLowerCase().startsWith(language) ? locale : language;
  return new Intl.DateTimeFormat(form, {
    timeZone: timezone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at);
}

/** Builds a letter from its texts; `title` is the subject unless it has one of its own. */
export function letterFor(reader: Reader, languages: Languages, url?: string): Letter {
  const language = languageOf(reader.locale);
  const { subject, preview, paragraphs, button, notes = [], reason } = languages[language];
  const { hello, hint, footer, reason: usual } = common[language];
  const { tenantName } = reader;
  return {
    language,
    subject,
    title: subject,
    preview,
    paragraphs: reader.firstName ? [hello(reader.firstName), ...paragraphs] : paragraphs,
    ...(button !== undefined && url !== undefined && { button: { label: button, url, hint } }),
    notes,
    footer: [footer(tenantName), reason ?? usual(tenantName)],
  };
}
