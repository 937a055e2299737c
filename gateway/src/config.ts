import { hasLengthOfKey, processSettings, readConfig, secretSetting } from '@tandem/process';
import { z } from 'zod';
import { isAddressList } from './http/client-ip.ts';
import { hostName } from './http/tenant-hosts.ts';

const url = z.url();

/** The settings of the gateway. `<SERVICE>_URL`, the origin of each service, is read by `readOrigins`. */
export const settingsSchema = z.object({
  ...processSettings,
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Port for metrics and health, separate from the public port. 0 chooses a free one. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  REDIS_URL: url,
  /** Milliseconds after which Redis counts as failing and each process enforces limits locally (D1). */
  REDIS_TIMEOUT_MS: z.coerce.number().int().min(10).max(60_000).default(50),
  /** Number of gateway processes that share the limits, used when a process starts while Redis is unavailable. */
  GATEWAYS_EXPECTED: z.coerce.number().int().min(1).max(10_000).default(1),
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('tandem'),
  /** Secrets that sign the caller header for the services; each value has an id. */
  INTERNAL_SECRETS: secretSetting(hasLengthOfKey, { needsIds: true }),
  /** HMAC keys of the stored API key hashes. */
  KEY_PEPPER: secretSetting(hasLengthOfKey),
  IDS_ALPHABET: z.string().length(62),
  IDENTITY_URL: url,
  /** Addresses or networks (CIDR, comma separated) whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .refine(isAddressList, 'Must be addresses or networks such as 10.0.0.0/8, separated by commas'),
  /** The address of the gateway as clients see it. Its own pages are those of this origin. */
  PUBLIC_URL: url,
  /**
   * Further host names of the gateway, with commas, such as that by which a proxy calls it. Every other domain is one of a
   * tenant, which shows its landing pages and nothing else outside of /v1/.
   */
  OWN_HOSTS: z
    .string()
    .default('')
    .transform((text) => text.split(',').map(hostName).filter(Boolean)),
  /** Origins that browsers may call from: `*` or a comma separated list. */
  CORS_ORIGINS: z.string().default('*'),
  /** Requests per minute for an address without credentials; bursts may exceed it by a sixth. */
  ANONYMOUS_RATE_PER_MINUTE: z.coerce.number().int().positive().default(60),
  /** The same for links of messages and reports of providers, which proxies and providers call for many people. */
  SHARED_ADDRESS_RATE_PER_MINUTE: z.coerce.number().int().positive().default(12_000),
  /** Milliseconds without a byte after which an upload or a download counts as broken. */
  STREAM_IDLE_MS: z.coerce.number().int().min(100).max(600_000).default(30_000),
  /** Whether calls are reported to integrations, for the API log. */
  API_LOG: z.stringbool().default(true),
  /** Failed authentications per minute after which an address receives 429 (api/identity.md: 20). */
  FAILED_AUTHENTICATIONS_PER_MINUTE: z.coerce.number().int().positive().default(20),
});

export type GatewaySettings = z.output<typeof settingsSchema>;

export const readSettings = (): GatewaySettings => readConfig(settingsSchema);

/** The origin of each service, from its setting: `CRM_URL` for crm. */
export function readOrigins(services: readonly string[]): Record<string, string> {
  const setting = (service: string) => `${service.toUpperCase()}_URL`;
  const settings = readConfig(z.object(Object.fromEntries(services.map((service) => [setting(service), url]))));
  return Object.fromEntries(services.map((service) => [service, settings[setting(service)] as string]));
}
