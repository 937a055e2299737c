import type { campaign } from '@tandem/campaign-contract';
import { mailSettings } from '@tandem/mail';
import { smsSettings } from '@tandem/sms';
import { type TestRequest, type TestService, testService } from '@tandem/testing';
import { z } from 'zod';
import { campaignService } from './service.ts';
import { type CampaignSettings, campaignSettings } from './settings.ts';

// No server listens on this port.
const unreachableUrl = 'http://127.0.0.1:9';

/**
 * Starts campaign for a test; without a provider URL it generates from templates, and without an identity URL no user can be
 * found. `others` are further settings, such as `CRM_URL` and `SMTP_URL`, without which no lead is found and no mail is sent.
 */
export const startCampaign = (
  providerUrl?: string | undefined,
  identityUrl = unreachableUrl,
  others: Partial<CampaignSettings> = {},
): Promise<TestService<typeof campaign>> =>
  testService('campaign', (settings) =>
    campaignService({
      ...settings,
      ...z.object({ ...mailSettings, ...smsSettings }).parse({}),
      ...campaignSettings.pick({ IDS_ALPHABET: true, MAIL_PER_DOMAIN_MINUTE_MAX: true }).parse(process.env),
      WEBHOOK_ALLOW_PRIVATE_TARGETS: true,
      IDENTITY_URL: identityUrl,
      CRM_URL: unreachableUrl,
      PARTNER_URL: unreachableUrl,
      PUBLIC_URL: 'https://api.example.com',
      AI_PROVIDER_API_KEY: providerUrl ? 'sk-of-the-test' : '',
      AI_PROVIDER_MODEL: 'small',
      AI_PROVIDER_BASE_URL: providerUrl ?? unreachableUrl,
      ...others,
    }),
  );

let pages = 0;

/** Request body of a landing page with a unique slug. */
export const aPage = (fields: Record<string, unknown> = {}) => ({
  name: 'Spring',
  slug: `spring-${++pages}`,
  ...fields,
});

/** Request body of a workflow: a trigger, an e-mail and a wait in sequence. */
export const aWorkflow = (fields: Record<string, unknown> = {}) => ({
  name: 'Welcome',
  nodes: ['trigger', 'email', 'wait'].map((type, index) => aNode(`node-${index + 1}`, { type })),
  edges: [
    { edgeId: 'edge-1', source: 'node-1', target: 'node-2' },
    { edgeId: 'edge-2', source: 'node-2', target: 'node-3' },
  ],
  ...fields,
});

export const aNode = (nodeId: string, fields: Record<string, unknown> = {}) => ({
  nodeId,
  type: 'email',
  position: { x: 0, y: 0 },
  data: { label: nodeId },
  ...fields,
});

/** The fields of a form that makes leads. */
export const formFields = [
  { key: 'email', label: 'E-mail address', type: 'email', required: true, mapsTo: 'email' },
  { key: 'firstName', type: 'text', mapsTo: 'firstName' },
  { key: 'message', label: 'Message', type: 'textarea' },
];

/** Request body of a form. */
export const aForm = (fields: Record<string, unknown> = {}) => ({
  name: 'Newsletter',
  fields: formFields,
  ...fields,
});

/** Sends a request as a visitor, who has no tenant. */
export async function asVisitor(
  service: TestService<typeof campaign>,
  operation: keyof typeof campaign,
  request: TestRequest,
  ip = '203.0.113.7',
) {
  const { tenantId: _, ...caller } = service.as({ type: 'anonymous', permissions: [], ip }).caller;
  return service.send(service.operations[operation], request, caller);
}

/** The public id of a form. */
export const publicIdOf = ({ submitUrl }: { submitUrl: string }) => submitUrl.split('/').at(-2) as string;
