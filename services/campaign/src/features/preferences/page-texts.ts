import type { Caller } from '@tandem/caller';
import { type PageLanguage, pageLanguage } from '@tandem/pages';
import type { Tools } from '../../handler.ts';
import type { ContactLink } from './contact-links.ts';

/** The texts of the pages, in the languages of the pages. */
export const pageTexts = {
  en: {
    unsubscribe: 'Unsubscribe',
    unsubscribeFrom: (address: string, topic: string | undefined) =>
      topic === undefined
        ? `${address} will get no more messages from us.`
        : `${address} will get no more messages about “${topic}”.`,
    already: (address: string) => `${address} is unsubscribed.`,
    unsubscribed: 'You are unsubscribed.',
    fromAll: 'Unsubscribe from all messages',
    choose: 'Choose which messages you get',
    preferences: 'Your messages',
    which: (address: string) => `Which messages would you like to get at ${address}?`,
    email: 'Messages by e-mail',
    sms: 'Messages by SMS',
    pause: 'Pause',
    noPause: 'No pause',
    untilNow: (date: string) => `Until ${date}`,
    months: (count: number) => (count === 1 ? 'For a month' : `For ${count} months`),
    save: 'Save',
    saved: 'Your choice is saved.',
  },
  de: {
    unsubscribe: 'Abmelden',
    unsubscribeFrom: (address: string, topic: string | undefined) =>
      topic === undefined
        ? `${address} erhält keine Nachrichten mehr von uns.`
        : `${address} erhält keine Nachrichten mehr zum Thema „${topic}“.`,
    already: (address: string) => `${address} ist abgemeldet.`,
    unsubscribed: 'Sie sind abgemeldet.',
    fromAll: 'Von allen Nachrichten abmelden',
    choose: 'Auswählen, welche Nachrichten Sie erhalten',
    preferences: 'Ihre Nachrichten',
    which: (address: string) => `Welche Nachrichten möchten Sie an ${address} erhalten?`,
    email: 'Nachrichten per E-Mail',
    sms: 'Nachrichten per SMS',
    pause: 'Pause',
    noPause: 'Keine Pause',
    untilNow: (date: string) => `Bis ${date}`,
    months: (count: number) => (count === 1 ? 'Einen Monat lang' : `${count} Monate lang`),
    save: 'Speichern',
    saved: 'Ihre Auswahl ist gespeichert.',
  },
};

/** The language of the tenant of a link; English while its settings are not available, because unsubscribing must work. */
export async function languageOf(
  { settingsOf }: Pick<Tools, 'settingsOf'>,
  { tenantId, environment }: ContactLink,
  { requestId }: Pick<Caller, 'requestId'>,
): Promise<PageLanguage> {
  const settings = await settingsOf({ tenantId, environment, requestId }).catch(() => undefined);
  return pageLanguage(settings?.locale ?? 'en');
}
