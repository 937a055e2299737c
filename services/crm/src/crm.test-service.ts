import type { crm } from '@tandem/crm-contract';
import { mailSettings } from '@tandem/mail';
import type { ServiceSettings } from '@tandem/service';
import { createTenantDb } from '@tandem/tenant-db';
import { type TestService, testService, testSettings } from '@tandem/testing';
import { z } from 'zod';
import { Prisma, PrismaClient } from './generated/client.ts';
import { crmService } from './service.ts';
import { type CrmSettings, crmSettings } from './settings.ts';

// No server listens on this port: calls to identity are covered by the e2e tests.
const unreachableUrl = 'http://127.0.0.1:9';

// Without a mail server, messages are stored and not sent.
const mailSettingsOff = z.object(mailSettings).parse({});

/** Settings of crm without other services. */
export const alone: Omit<CrmSettings, keyof ServiceSettings> = {
  IDENTITY_URL: unreachableUrl,
  FILES_URL: unreachableUrl,
  PUBLIC_URL: 'https://api.example.com',
  PARTNER_URL: unreachableUrl,
  AGENTS_URL: unreachableUrl,
  ANALYTICS_URL: unreachableUrl,
  CAMPAIGN_URL: unreachableUrl,
  INTEGRATIONS_URL: unreachableUrl,
  SEARCH_URL: unreachableUrl,
  TRAINING_URL: unreachableUrl,
  ...crmSettings.pick({ IDS_ALPHABET: true }).parse(process.env),
  ...mailSettingsOff,
  AI_PROVIDER_API_KEY: '',
  AI_PROVIDER_MODEL: 'a-model',
  AI_PROVIDER_BASE_URL: unreachableUrl,
};

/** Starts crm for a test. */
export const startCrm = (others: Partial<typeof alone> = {}): Promise<TestService<typeof crm>> =>
  testService('crm', (settings) => crmService({ ...settings, ...alone, ...others }));

type TenantDbOptions = Omit<Parameters<typeof createTenantDb>[0], 'url' | 'client' | 'prisma'>;

export type CrmDatabase = Awaited<ReturnType<typeof openCrmDatabase>>;

/** Opens a database of crm without the service. `close` drops it. */
export async function openCrmDatabase(options: TenantDbOptions = {}) {
  const settings = await testSettings('crm');
  const db = createTenantDb({
    ...options,
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
  });
  const close = async () => {
    await db.close();
    await settings.drop();
  };
  return { settings, db, close };
}

let leads = 0;

/** Request body of a lead that matches no other lead. */
export function aLead(fields: Record<string, unknown> = {}) {
  const number = ++leads;
  return { email: `lead${number}@example.com`, firstName: `First${number}`, lastName: `Last${number}`, ...fields };
}
