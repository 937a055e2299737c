import type { campaign } from '@tandem/campaign-contract';
import { type TestService, testService } from '@tandem/testing';
import { campaignService } from './service.ts';

/**
 * Starts campaign for a test; without a provider URL it generates from templates, and without an identity URL no user can be
 * found.
 */
export const startCampaign = (
  providerUrl?: string | undefined,
  identityUrl = 'http://127.0.0.1:9',
): Promise<TestService<typeof campaign>> =>
  testService('campaign', (settings) =>
    campaignService({
      ...settings,
      IDENTITY_URL: identityUrl,
      AI_PROVIDER_API_KEY: providerUrl ? 'sk-of-the-test' : '',
      AI_PROVIDER_MODEL: 'small',
      AI_PROVIDER_BASE_URL: providerUrl ?? 'http://127.0.0.1:9',
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
