import type { analytics } from '@tandem/analytics-contract';
import { mailSettings } from '@tandem/mail';
import { type TestService, testService, type testSettings } from '@tandem/testing';
import { z } from 'zod';
import { type CrmPeer, crmPeer, type PredictedScores } from './crm-peer.test-service.ts';
import { analyticsService } from './service.ts';
import type { AnalyticsSettings } from './settings.ts';

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

type Settings = Awaited<ReturnType<typeof testSettings>>;

/**
 * Starts analytics with a stub of crm, which has the lists of the other services too; without other services and a mail server unless their addresses are given.
 * @param running.shared the settings of another instance, whose database it uses
 */
export async function startAnalytics(
  others: Partial<AnalyticsSettings> = {},
  running: { shared?: Settings; onSettings?: (settings: Settings) => void } = {},
): Promise<Analytics> {
  const crm = await crmPeer();
  const define = (settings: Settings) => {
    running.onSettings?.(settings);
    return analyticsService({
      ...z.object(mailSettings).parse({}),
      ...settings,
      CRM_URL: crm.url,
      IDENTITY_URL: unreachableUrl,
      PARTNER_URL: crm.url,
      CAMPAIGN_URL: crm.url,
      TRAINING_URL: crm.url,
      FILES_URL: crm.url,
      INTEGRATIONS_URL: crm.url,
      AGENTS_URL: crm.url,
      IDS_ALPHABET: process.env['IDS_ALPHABET'] as string,
      PUBLIC_URL: publicUrl,
      ...others,
    });
  };
  const service = await testService('analytics', define, running.shared);
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
