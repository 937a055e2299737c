import type { Letter } from '@tandem/mail';
import type { Notification as NotificationRow } from '../../generated/client.ts';
import { letterFor, type Reader } from '../../letters.ts';
import type { Action } from './notification.ts';

/**
 * The e-mail of a notification: its texts with the signature of its sender, and its first action of type url as the
 * button. Paths are pages of the console: without one, they have no button.
 */
export function notificationLetter(
  reader: Reader,
  { title, body, actions }: Pick<NotificationRow, 'title' | 'body' | 'actions'>,
  { consoleUrl, signature }: { consoleUrl: string | undefined; signature: string | null },
): Letter {
  const action = (actions as unknown as Action[]).find(({ type }) => type === 'url');
  const words = {
    subject: title,
    preview: body.slice(0, 140),
    paragraphs: [body, signature ?? ''].flatMap((text) => text.split(/\n{2,}/)).filter((text) => text.trim()),
    ...(action && { button: action.label }),
  };
  return letterFor(
    reader,
    {
      en: { ...words, notes: ['Your preferences decide which notifications are sent to you by e-mail.'] },
      de: { ...words, notes: ['Welche Benachrichtigungen per E-Mail kommen, bestimmen Ihre Einstellungen.'] },
    },
    addressOf(action?.url, consoleUrl),
  );
}

function addressOf(url: string | undefined, consoleUrl: string | undefined): string | undefined {
  if (!url?.startsWith('/')) return url;
  return consoleUrl === undefined ? undefined : consoleUrl + url;
}
