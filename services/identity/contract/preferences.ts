import { code, currency, event, id, operations, signedIn, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Locale, TimeZone } from './tenants.ts';

const time = (description: string, example: string) =>
  z
    .string()
    .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, { error: 'Must be a time of day as HH:MM' })
    .meta({ description, examples: [example] });

/** The hours of a day in which a user is not disturbed. */
export const QuietHours = z
  .object({
    start: time('When the quiet hours begin, HH:MM', '22:00'),
    end: time('When the quiet hours end, HH:MM; on the next day if it is before `start`', '07:00'),
    timezone: TimeZone.nullish().meta({
      description: "Time zone (IANA) of the quiet hours. Defaults to the user's, else the tenant's time zone",
      examples: ['Europe/Berlin'],
    }),
  })
  .refine(({ start, end }) => start !== end, { error: 'Must differ from start', path: ['end'] });

/** The channels of one category: on, off, or as the sender chose. */
export const ChannelChoice = z.object({
  in_app: z
    .boolean()
    .meta({
      description: 'Whether notifications of the category appear in the inbox; otherwise they are archived at once',
      examples: [true],
    })
    .optional(),
  email: z
    .boolean()
    .meta({ description: 'Whether notifications of the category are also sent by e-mail', examples: [false] })
    .optional(),
});

const Categories = z
  .record(code(50), ChannelChoice)
  .refine((map) => Object.keys(map).length <= 100, { error: 'Must contain at most 100 categories' })
  .meta({
    description:
      'The channels by category of notifications. A channel without a value is used if the sender of the notification chose it',
    examples: [{ assignments: { in_app: true, email: true }, imports: { in_app: false } }],
  });

export const NotificationPreferences = z.object({
  categories: Categories,
  quietHours: QuietHours.nullable().describe(
    'The hours in which no e-mail is sent and notifications are silent, except those of priority high; null for none',
  ),
});

/** The order and separators of dates. */
export const DateFormat = z.enum(['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY']).describe('A date format');

export const UserPreferences = z.object({
  userId: id('user').describe('The user whose preferences these are'),
  timezone: TimeZone.nullable().meta({
    description: "Time zone (IANA) of the user; null for the tenant's",
    examples: ['Europe/Berlin'],
  }),
  locale: Locale.nullable().meta({
    description: "Language (BCP 47) of the user, used in e-mails; null for the tenant's",
    examples: ['de'],
  }),
  dateFormat: DateFormat.nullable().describe(
    'How e-mails and applications show dates to the user; null for the usual form of the locale',
  ),
  defaultCurrency: currency()
    .nullable()
    .meta({
      description: "The currency of opportunities that the user opens without a currency; null for the tenant's",
      examples: ['EUR'],
    }),
  notifications: Categories,
  quietHours: NotificationPreferences.shape.quietHours,
  signature: text(2_000)
    .nullable()
    .meta({
      description: 'The signature at the end of e-mails that the user sends with POST /v1/notifications',
      examples: ['Ada Lovelace'],
    }),
  version: z.int(),
  updatedAt: timestamp()
    .nullable()
    .meta({
      description: 'When the preferences were last changed; null if never',
      examples: ['2026-03-04T08:02:47.000Z'],
    }),
});

export const userPreferencesUpdated = event('user.preferences_updated', {
  description: 'The preferences of a user are updated',
  action: 'user.update_preferences',
  target: 'user',
  data: z.object({ userId: id('user'), fields: z.array(z.string()) }),
  record: z.object({ id: id('user') }),
});

const withId = z.object({ id: id('user') });

export const preferences = operations({
  getNotificationPreferences: {
    method: 'GET',
    path: '/v1/notifications/preferences',
    permission: signedIn,
    summary: 'Retrieve the notification preferences of the caller',
    description:
      'The channels and quiet hours of the signed-in user, of the user in X-On-Behalf-Of, or otherwise of the creator of the API key. `GET /v1/users/{id}/preferences` returns the same values with the other preferences.',
    reply: NotificationPreferences,
    message: 'Preferences retrieved',
  },
  setNotificationPreferences: {
    method: 'PUT',
    path: '/v1/notifications/preferences',
    permission: signedIn,
    summary: 'Set the notification preferences of the caller',
    description: 'Replaces the channels of all categories and the quiet hours.',
    body: z.object({
      categories: Categories.default({}),
      quietHours: QuietHours.nullish().describe(
        'The hours in which no e-mail is sent and notifications are silent, except those of priority high',
      ),
    }),
    reply: NotificationPreferences,
    message: 'Preferences saved',
    emits: [userPreferencesUpdated],
  },
  getUserPreferences: {
    method: 'GET',
    path: '/v1/users/:id/preferences',
    permission: signedIn,
    summary: 'Retrieve the preferences of a user',
    description: 'The preferences of other users need `users:read`.',
    params: withId,
    reply: UserPreferences,
    message: 'Preferences retrieved',
  },
  updateUserPreferences: {
    method: 'PATCH',
    path: '/v1/users/:id/preferences',
    permission: signedIn,
    summary: 'Update the preferences of a user',
    description:
      'The preferences of other users need `users:write`. `notifications` and `quietHours` are replaced as a whole.',
    params: withId,
    body: UserPreferences.omit({ userId: true, version: true, updatedAt: true }).partial(),
    reply: UserPreferences,
    message: 'Preferences updated',
    emits: [userPreferencesUpdated],
  },
});
