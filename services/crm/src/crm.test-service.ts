import type { crm } from '@tandem/crm-contract';
import { type TestService, testService } from '@tandem/testing';
import { crmService } from './service.ts';

// Nobody listens on this port: what crm asks identity is tested where identity runs, in packages/e2e.
const nobody = 'http://127.0.0.1:9';

/** crm as a test has it. */
export const startCrm = (): Promise<TestService<typeof crm>> =>
  testService('crm', (settings) => crmService({ ...settings, IDENTITY_URL: nobody }));

let leads = 0;

/** The body of a lead that resembles no other. */
export function aLead(fields: Record<string, unknown> = {}) {
  const number = ++leads;
  return { email: `lead${number}@example.com`, firstName: `First${number}`, lastName: `Last${number}`, ...fields };
}
