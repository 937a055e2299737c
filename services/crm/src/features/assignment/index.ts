import type { assignmentRules, leadAssignment } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { assignLead } from './assign-lead.ts';
import { autoAssignLead } from './auto-assign-lead.ts';
import { createAssignmentRule } from './create-assignment-rule.ts';
import { deleteAssignmentRule } from './delete-assignment-rule.ts';
import { getAssignmentRule } from './get-assignment-rule.ts';
import { listAssignmentRules } from './list-assignment-rules.ts';
import { updateAssignmentRule } from './update-assignment-rule.ts';

export const assignmentHandlers = (peers: Peers) =>
  ({
    assignLead: assignLead(peers),
    autoAssignLead: autoAssignLead(peers),
    createAssignmentRule: createAssignmentRule(peers),
    listAssignmentRules,
    getAssignmentRule,
    updateAssignmentRule: updateAssignmentRule(peers),
    deleteAssignmentRule,
  }) satisfies Handlers<typeof leadAssignment & typeof assignmentRules, Tx>;
