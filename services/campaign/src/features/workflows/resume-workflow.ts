import { workflowResumed, type workflows } from '@tandem/campaign-contract';
import { fail, reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { enrollInNewSequence } from '../campaigns/enroll-audience.job.ts';
import { channelErrors, holdCampaignOf } from '../campaigns/hold-campaign.ts';
import { unparkExecutionsJob } from '../engine/unpark-executions.job.ts';
import { scheduleTrigger } from '../scheduled-triggers/schedule-trigger.ts';
import { changeStatus } from './change-status.ts';
import { readPublished } from './enterable.ts';

export const resumeWorkflow: Handler<typeof workflows.resumeWorkflow> = async (context) => {
  const { params, caller, tx, emit, schedule, ifMatch } = context;
  const campaign = await holdCampaignOf(tx, params.id);
  const { workflow, event } = await changeStatus(tx, params.id, 'published', ifMatch);
  await schedule(unparkExecutionsJob, [{ workflowId: workflow.id }]);
  // Also before the start of its campaign, for which the trigger waits.
  const published = await readPublished(tx, workflow.id);
  await scheduleTrigger({ tx, schedule }, workflow.id, published?.trigger);
  // The campaign may have been launched during the pause.
  const errors = channelErrors(campaign, published?.nodes ?? []);
  if (errors.length) throw fail('validation_failed', errors);
  if (campaign) await enrollInNewSequence(schedule, campaign, reachOf(caller, 'leads:read'));
  emit(workflowResumed, event);
  return workflow;
};
