import { z } from 'zod';

/** Settings of a service that makes calls. Without account, token and number it makes none. */
export const telephonySettings = {
  /** The address of an API in Twilio's shape. */
  TELEPHONY_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'Must be a URL such as https://api.twilio.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .default('https://api.twilio.com'),
  TELEPHONY_ACCOUNT_SID: z
    .string()
    .regex(/^[A-Za-z0-9]{1,64}$/, 'Must be the id of an account, such as AC…')
    .optional(),
  /** Authenticates requests, and signs the reports of the provider. */
  TELEPHONY_AUTH_TOKEN: z.string().min(1).max(200).optional(),
  /** The number from which leads are called. */
  TELEPHONY_FROM: z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, 'Must be a number with country code, such as +15005550006')
    .optional(),
};

export type TelephonySettings = z.output<z.ZodObject<typeof telephonySettings>>;
