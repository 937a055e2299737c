import { hasLengthOfKey, readConfig, secretSetting, shutdownSettings } from '@tandem/process';
import { z } from 'zod';
import { isAddressList } from './http/client-ip.ts';

const url = z.url();

/** The settings of the gateway. `<SERVICE>_URL` says where each service listens. */
export const settingsSchema = z.object({
  ...shutdownSettings,
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Where Prometheus reads; not on the public port. 0 chooses a free one. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** How many processes share the port: one per core, when asked. */
  GATEWAY_WORKERS: z.coerce.number().int().min(1).max(64).default(1),
  REDIS_URL: url,
  /** Milliseconds after which Redis counts as failing, and limits are kept by this process alone (D1). */
  REDIS_TIMEOUT_MS: z.coerce.number().int().min(10).max(60_000).default(50),
  /** How many gateway processes share the limits, for one that starts while Redis is away and cannot count them. */
  GATEWAYS_EXPECTED: z.coerce.number().int().min(1).max(10_000).default(1),
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('tandem'),
  /** Signs the caller for the services; each value has an id. */
  INTERNAL_SECRETS: secretSetting(hasLengthOfKey, { needsIds: true }),
  /** The keys of the HMACs that API keys are stored as. */
  KEY_PEPPER: secretSetting(hasLengthOfKey),
  IDS_ALPHABET: z.string().length(62),
  IDENTITY_URL: url,
  /** Addresses or networks (CIDR, comma separated) whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .refine(isAddressList, 'Must be addresses or networks such as 10.0.0.0/8, separated by commas'),
  /** Origins that browsers may call from: `*` or a comma separated list. */
  CORS_ORIGINS: z.string().default('*'),
  /** Requests a minute that one address may send without credentials, beyond which it may burst by a sixth. */
  ANONYMOUS_RATE_PER_MINUTE: z.coerce.number().int().positive().default(60),
  /** Failed authentications a minute after which an address is answered 429 (api/identity.md: 20). */
  FAILED_AUTHENTICATIONS_PER_MINUTE: z.coerce.number().int().positive().default(20),
});

export type GatewaySettings = z.output<typeof settingsSchema>;

export const readSettings = (): GatewaySettings => readConfig(settingsSchema);

/** Where each service listens: `CRM_URL` for crm. */
export function readOrigins(services: readonly string[]): Record<string, string> {
  const setting = (service: string) => `${service.toUpperCase()}_URL`;
  const given = readConfig(z.object(Object.fromEntries(services.map((service) => [setting(service), url]))));
  return Object.fromEntries(services.map((service) => [service, given[setting(service)] as string]));
}
