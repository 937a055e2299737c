import type { analytics } from '@tandem/analytics-contract';
import { type TestService, testService } from '@tandem/testing';
import { type CrmPeer, crmPeer, type PredictedScores } from './crm-peer.test-service.ts';
import { analyticsService } from './service.ts';

export interface Analytics extends TestService<typeof analytics> {
  /** Removes a lead from crm. */
  forget(leadId: string): void;
  crm: CrmPeer;
  /** The requests to set predicted scores; a lead named by `refuse` has this error. */
  predicted: PredictedScores[];
  refuse(leadId: string, code: string): void;
}

const unreachableUrl = 'http://127.0.0.1:1';
export const publicUrl = 'https://api.example.com';

/** Starts analytics with a stub of crm; without other services unless their addresses are given. */
export async function startAnalytics(others: { IDENTITY_URL?: string } = {}): Promise<Analytics> {
  const crm = await crmPeer();
  const service = await testService('analytics', (settings) =>
    analyticsService({
      ...settings,
      CRM_URL: crm.url,
      IDENTITY_URL: unreachableUrl,
      PARTNER_URL: unreachableUrl,
      IDS_ALPHABET: process.env['IDS_ALPHABET'] as string,
      PUBLIC_URL: publicUrl,
      ...others,
    }),
  );
  return {
    ...service,
    crm,
    forget: crm.forget,
    predicted: crm.predicted,
    refuse: crm.refuse,
    async close() {
      await service.close();
      await crm.close();
    },
  };
}
