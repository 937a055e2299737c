import type { Letter } from '@tandem/mail';

/** The reader of a letter, with language and time zone. */
export interface Reader {
  firstName: string;
  tenantName: string;
  locale: string;
  timezone: string;
  /** The form of dates that the reader chose; null for that of the locale. */
  dateFormat: string | null;
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
type TimeForm = Pick<Reader, 'locale' | 'timezone' | 'dateFormat'>;

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
export function timeFor({ locale, timezone, dateFormat }: TimeForm, at: Date): string {
  const language = languageOf(locale);
  // The locale decides the form of the date only where the letter is in its language.
  const form = locale.toLowerCase().startsWith(language) ? locale : language;
  const time = { timeZone: timezone, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  if (dateFormat !== null)
    return `${dateIn(dateFormat, timezone, at)}, ${new Intl.DateTimeFormat(form, time).format(at)}`;
  return new Intl.DateTimeFormat(form, { ...time, year: 'numeric', month: 'long', day: 'numeric' }).format(at);
}

/** A date in a form such as DD.MM.YYYY. */
function dateIn(dateFormat: string, timeZone: string, at: Date): string {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat('en', { timeZone, ...digits }).formatToParts(at);
  const [year, month, day] = (['year', 'month', 'day'] as const).map(
    (type) => parts.find((part) => part.type === type)?.value ?? '',
  ) as [string, string, string];
  return dateFormat.replace('YYYY', year).replace('MM', month).replace('DD', day);
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
