import type { milestones } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { completeMilestone } from './complete-milestone.ts';
import { createMilestone } from './create-milestone.ts';
import { deleteMilestone } from './delete-milestone.ts';
import { getMilestone } from './get-milestone.ts';
import { listMilestones } from './list-milestones.ts';
import { reopenMilestone } from './reopen-milestone.ts';
import { updateMilestone } from './update-milestone.ts';

export const milestoneHandlers = (peers: Peers) =>
  ({
    createMilestone: createMilestone(peers),
    listMilestones,
    getMilestone,
    updateMilestone: updateMilestone(peers),
    completeMilestone,
    reopenMilestone,
    deleteMilestone,
  }) satisfies Handlers<typeof milestones, Tx>;
