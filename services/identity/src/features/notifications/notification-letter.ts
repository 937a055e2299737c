import type { Letter } from '@tandem/mail';
import type { Notification as NotificationRow } from '../../generated/client.ts';
import { letterFor, type Reader } from '../../letters.ts';
import type { Action } from './notification.ts';

/** The e-mail of a notification: its texts, and its first action of type url as the button. */
export function notificationLetter(
  reader: Reader,
  { title, body, actions }: Pick<NotificationRow, 'title' | 'body' | 'actions'>,
  consoleUrl: string,
): Letter {
  const action = (actions as unknown as Action[]).find(({ type }) => type === 'url');
  const words = {
    subject: title,
    preview: body.slice(0, 140),
    paragraphs: body.split(/\n{2,}/),
    ...(action && { button: action.label }),
  };
  const url = action?.url?.startsWith('/') ? consoleUrl + action.url : action?.url;
  return letterFor(
    reader,
    {
      en: { ...words, notes: ['Your preferences decide which notifications are sent to you by e-mail.'] },
      de: { ...words, notes: ['Welche Benachrichtigungen per E-Mail kommen, bestimmen Ihre Einstellungen.'] },
    },
    url,
  );
}
