import type { activities, timelines } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { createActivity } from './create-activity.ts';
import { deleteActivity } from './delete-activity.ts';
import { getAccountTimeline } from './get-account-timeline.ts';
import { getActivity } from './get-activity.ts';
import { getLeadTimeline } from './get-lead-timeline.ts';
import { listActivities } from './list-activities.ts';
import { updateActivity } from './update-activity.ts';

export const activityHandlers = (peers: Peers) =>
  ({
    createActivity: createActivity(peers),
    listActivities,
    getActivity,
    updateActivity: updateActivity(peers),
    deleteActivity,
    getLeadTimeline,
    getAccountTimeline,
  }) satisfies Handlers<typeof activities & typeof timelines, Tx>;
