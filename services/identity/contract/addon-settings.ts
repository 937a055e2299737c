import { iban, text } from '@tandem/contract';
import { z } from 'zod';

/** Replaces a secret setting in responses. In a request it keeps the stored value. */
export const hiddenSetting = '***';

/** Metadata of a setting. */
interface SettingMeta {
  description: string;
  /** The first version of the addon that has the setting. */
  since: string;
  /** The services that obey the setting. Only these can read it if it is a secret. */
  readers: readonly string[];
  /** Encrypted when stored; responses show `***`. */
  isSecret?: true;
}

const settingMeta = z.registry<SettingMeta>();

function setting<Schema extends z.ZodType>(schema: Schema, meta: SettingMeta): Schema {
  const { description } = meta;
  const described = schema.describe(description);
  settingMeta.add(described, meta);
  return described;
}

const hostsMax = 50;
const urlLengthMax = 2_000;

function httpsUrl() {
  return z
    .url({ protocol: /^https$/, error: 'Must be a URL that starts with https://' })
    .max(urlLengthMax, `Must be at most ${urlLengthMax} characters`)
    .refine((url) => URL.canParse(url), { error: 'Must be a URL that starts with https://' });
}

function hostName() {
  return z
    .string()
    .max(253, 'Must be at most 253 characters')
    .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'Must be a host name, such as www.example.com');
}

/**
 * The settings of every addon of the catalogue, by the key of the addon. The catalogue derives its JSON Schemas from
 * them, and the services that obey the settings read them with `settingsOf`. A setting without a default must be
 * present before the addon becomes active, unless it is optional.
 */
export const addonSettings = {
  partner_program: z.object({
    autoApprove: setting(z.boolean().default(false), {
      description: 'Whether a registered partner is approved at once',
      since: '1.1.0',
      readers: ['partner'],
    }),
    disclosure: setting(z.enum(['none', 'names', 'contacts']).default('names'), {
      description:
        'What partners see in the portal of the leads and deals that they brought: nothing but their status, also first names and the names and values of deals, or also the whole name, the address and the phone number',
      since: '1.3.0',
      readers: ['partner'],
    }),
    payerName: setting(text(70).min(1).optional(), {
      description: 'The holder of the account that partners are paid from, for the files to your bank',
      since: '1.3.0',
      readers: ['partner'],
    }),
    payerIban: setting(iban().optional(), {
      description: 'The IBAN of the account that partners are paid from',
      since: '1.3.0',
      readers: ['partner'],
    }),
    protectionDays: setting(z.int().min(1).max(3_650).default(90), {
      description: 'The number of days for which an approved deal registration protects the company',
      since: '1.3.0',
      readers: ['partner'],
    }),
    defaultLandingUrl: setting(httpsUrl().optional(), {
      description: 'The page that referral links lead to, unless their code names another one',
      since: '1.3.0',
      readers: ['partner'],
    }),
    allowedHosts: setting(z.array(hostName()).max(hostsMax, `Must contain at most ${hostsMax} host names`).optional(), {
      description: 'The host names of pages that referral links may lead to, besides that of defaultLandingUrl',
      since: '1.3.0',
      readers: ['partner'],
    }),
    openRegistration: setting(z.boolean().default(true), {
      description: 'Whether everybody can apply for the partner program',
      since: '1.3.0',
      readers: ['partner'],
    }),
    termsVersion: setting(text(100).min(1).optional(), {
      description: 'The version of the terms that partners accept when they apply; without one, there are none',
      since: '1.3.0',
      readers: ['partner'],
    }),
    termsUrl: setting(
      z
        .url({ protocol: /^https$/, error: 'Must be an https address' })
        .max(2_000)
        .optional(),
      {
        description: 'The address of these terms',
        since: '1.3.0',
        readers: ['partner'],
      },
    ),
  }),
  co_marketing_library: z.object({
    publicSharing: setting(z.boolean().default(true), {
      description: 'Whether the public links of shared resources work',
      since: '1.0.0',
      readers: ['partner'],
    }),
    brandName: setting(text(100).min(1), {
      description: 'The name shown on the public pages of shared resources',
      since: '1.1.0',
      readers: ['partner'],
    }),
  }),
  training_academy: z.object({}),
  ai_generation: z.object({
    tone: setting(z.enum(['neutral', 'friendly', 'formal', 'urgent']).default('neutral'), {
      description: 'The tone of generated sequences and landing pages, if the request names none',
      since: '1.0.0',
      readers: ['campaign'],
    }),
    apiKey: setting(text(500).min(8).optional(), {
      description: 'An API key of your own for the language model, used instead of the key of the platform',
      since: '2.0.0',
      readers: ['campaign', 'crm'],
      isSecret: true,
    }),
  }),
  ai_agents: z.object({
    runsPerDay: setting(z.int().min(1).max(100_000).default(500), {
      description: 'The maximum number of executions that bulk runs of all agents plan for one day',
      since: '1.0.0',
      readers: ['agents'],
    }),
  }),
  advanced_search: z.object({
    typoTolerance: setting(z.boolean().default(true), {
      description: 'Whether searches tolerate misspelt words, if the request does not say so',
      since: '1.3.0',
      readers: ['search'],
    }),
  }),
} as const;

export type AddonKey = keyof typeof addonSettings;
export type AddonSettings<Key extends AddonKey> = z.output<(typeof addonSettings)[Key]>;

/** The setting's entry in the catalogue. */
export function metaOfSetting(schema: z.ZodType): SettingMeta {
  const meta = settingMeta.get(schema);
  if (!meta) throw new Error('A setting of an addon is not declared with `setting`');
  return meta;
}
