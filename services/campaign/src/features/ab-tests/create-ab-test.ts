import { actingUserId } from '@tandem/caller';
import { abTestCreated, type abTests } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asAbTest, checkCampaignOfPath, checkSends, eventOf } from './ab-test.ts';
import { checkDefinition } from './check-definition.ts';

const defaults = { samplePercent: 100, minSample: 100, durationHours: 72, confidence: 0.95, autoPromote: false };

export const createAbTest: Handler<typeof abTests.createAbTest> = async ({ params, body, caller, tx, emit }) => {
  await checkCampaignOfPath(tx, params.id);
  const { workflowId = null, nodeId = null, landingPageId = null, ...fields } = body;
  const wanted = { ...defaults, ...fields, workflowId, nodeId, landingPageId, campaignId: params.id };
  await checkSends(tx, wanted);
  await checkDefinition(tx, wanted);
  const test = asAbTest(await tx.abTest.create({ data: { ...wanted, createdBy: actingUserId(caller) ?? null } }));
  emit(abTestCreated, eventOf(test));
  return test;
};
