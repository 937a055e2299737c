import { type Letter, renderLetter } from '@tandem/mail';
import { dayOf } from '@tandem/time-zones';
import type { EventRecord } from './event.ts';

/** Why a person gets a message about an event. */
export type Occasion = 'invited' | 'changed' | 'cancelled' | 'booked';

interface LetterInput {
  occasion: Occasion;
  event: EventRecord;
  /** The name of the organizer. */
  organizer: string;
  /** The language of the tenant (BCP 47). */
  locale: string;
  url: string | undefined;
  /** Why the event is cancelled. */
  reason: string | null;
  /** The names of the hosts of a booking, as far as they are known. */
  hostNames: readonly string[];
}

type Language = 'en' | 'de';

const words = {
  en: {
    subject: { invited: 'Invitation', changed: 'Changed', cancelled: 'Cancelled', booked: 'Booked' },
    text: {
      invited: (by: string, hosts: string) =>
        hosts ? `${by} invites you to a booking with ${hosts}.` : `${by} invites you to an event.`,
      changed: (by: string, hosts: string) =>
        hosts ? `${by} changed your booking with ${hosts}.` : `${by} changed an event to which you are invited.`,
      cancelled: (by: string, hosts: string) =>
        hosts ? `${by} cancelled your booking with ${hosts}.` : `${by} cancelled an event to which you were invited.`,
      booked: (_: string, hosts: string) =>
        hosts ? `Your booking with ${hosts} is confirmed.` : 'Your booking is confirmed.',
    },
    when: 'When',
    because: 'Reason',
    where: 'Where',
    call: 'Video call',
    repeats: 'The event repeats; the attached file has all dates.',
    button: 'Answer the invitation',
    hint: 'If the button does not work, open this address:',
    footer: (by: string) => `Sent by Tandem for ${by}.`,
    reason: 'You receive this message because this address was entered for the event.',
  },
  de: {
    subject: { invited: 'Einladung', changed: 'Geändert', cancelled: 'Abgesagt', booked: 'Gebucht' },
    text: {
      invited: (by: string, hosts: string) =>
        hosts ? `${by} lädt Sie zu einer Buchung bei ${hosts} ein.` : `${by} lädt Sie zu einem Termin ein.`,
      changed: (by: string, hosts: string) =>
        hosts
          ? `${by} hat Ihre Buchung bei ${hosts} geändert.`
          : `${by} hat einen Termin geändert, zu dem Sie eingeladen sind.`,
      cancelled: (by: string, hosts: string) =>
        hosts
          ? `${by} hat Ihre Buchung bei ${hosts} abgesagt.`
          : `${by} hat einen Termin abgesagt, zu dem Sie eingeladen waren.`,
      booked: (_: string, hosts: string) =>
        hosts ? `Ihre Buchung bei ${hosts} ist bestätigt.` : 'Ihre Buchung ist bestätigt.',
    },
    when: 'Wann',
    because: 'Grund',
    where: 'Wo',
    call: 'Videoanruf',
    repeats: 'Der Termin wiederholt sich; die angehängte Datei enthält alle Zeiten.',
    button: 'Einladung beantworten',
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    footer: (by: string) => `Von Tandem für ${by} verschickt.`,
    reason: 'Sie erhalten diese Nachricht, weil diese Adresse für den Termin angegeben wurde.',
  },
};

/** The message about an event, in the language of the tenant: German for German locales, else English. */
export function invitationLetter({ occasion, event, organizer, locale, url, reason, hostNames }: LetterInput) {
  const language: Language = /^de\b/i.test(locale) ? 'de' : 'en';
  const text = words[language];
  const hosts = new Intl.ListFormat(language, { type: 'conjunction' }).format(hostNames);
  // A host who changes their own booking is named already.
  const why = text.text[occasion](organizer, occasion !== 'booked' && hosts === organizer ? '' : hosts);
  const subject = `${text.subject[occasion]}: ${event.title}`;
  const details = [
    `${text.when}: ${periodOf(event, language)}`,
    ...(event.location === null ? [] : [`${text.where}: ${event.location}`]),
    ...(event.joinUrl === null ? [] : [`${text.call}: ${event.joinUrl}`]),
  ];
  const letter: Letter = {
    language,
    subject,
    title: event.title,
    preview: why,
    paragraphs: [
      why,
      ...(reason === null ? [] : [`${text.because}: ${reason}`]),
      details.join('\n'),
      ...(event.description === null ? [] : [event.description]),
    ],
    ...(url !== undefined && { button: { label: text.button, url, hint: text.hint } }),
    ...(event.recurrence !== null && { notes: [text.repeats] }),
    footer: [text.footer(organizer), text.reason],
  };
  return renderLetter(letter);
}

/** The period of an event as people write it: `10 March 2026, 10:00 – 11:00 CET`. */
export function periodOf(
  { startAt, endAt, timezone, allDay }: Pick<EventRecord, 'startAt' | 'endAt' | 'timezone' | 'allDay'>,
  locale: string,
): string {
  const date = { timeZone: timezone, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  if (allDay) return new Intl.DateTimeFormat(locale, date).formatRange(startAt, new Date(endAt.getTime() - 1));
  const isOneDay = dayOf(startAt, timezone) === dayOf(endAt, timezone);
  const form = new Intl.DateTimeFormat(locale, { ...date, ...time });
  const end = new Intl.DateTimeFormat(locale, {
    ...(isOneDay ? {} : date),
    timeZone: timezone,
    ...time,
    timeZoneName: 'short',
  });
  return `${form.format(startAt)} – ${end.format(endAt)}`;
}
