import { z } from 'zod';

// A number, the id of a Messaging Service, or a name of up to 11 letters and digits, where the country permits names.
const sender = /^(?:\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
const urlError = 'Must be a URL with the account and its token, such as https://AC…:token@api.twilio.com';

/** Settings of a service that sends SMS. */
export const smsSettings = {
  /** The provider: the URL of an API in Twilio's shape, with account and token. Without it no SMS is sent. */
  SMS_URL: z
    .url({ protocol: /^https?$/, error: urlError })
    .refine((url) => URL.parse(url)?.username && URL.parse(url)?.password, { error: urlError })
    .optional(),
  /** The sender. Without it no SMS is sent. */
  SMS_FROM: z
    .string()
    .regex(sender, 'Must be a number such as +15005550006, a Messaging Service (MG…), or a name of up to 11 characters')
    .optional(),
  /** How many SMS a tenant may send within a day (UTC). */
  SMS_PER_DAY_MAX: z.coerce.number().int().min(1).max(10_000_000).default(1_000),
};

export type SmsSettings = z.output<z.ZodObject<typeof smsSettings>>;
