import {
  accountUpdated,
  leadAssigned,
  leadUpdated,
  opportunityUpdated,
  taskAssigned,
  taskUpdated,
} from '@tandem/crm-contract';
import { ownedRecords } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asAccount } from '../accounts/account.ts';
import { asLead } from '../leads/lead.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';
import { asTask, openStatuses } from '../tasks/task.ts';

/** The owned records of crm, by kind of work. */
export const crmRecords = {
  leads: ownedRecords({
    model: (tx: Tx) => tx.lead,
    owner: 'assignedTo',
    exists: { deletedAt: null },
    open: { deletedAt: null, convertedAt: null, status: { not: 'unqualified' } },
    updated: ({ emit, row, values, changes }) => {
      const record = asLead(row);
      emit(leadUpdated, { data: { leadId: row.id, changes: values }, record, changes });
      if (!changes['assignedTo']) return;
      const from = changes['assignedTo'].from as number | null;
      emit(leadAssigned, { data: { leadId: row.id, from, to: record.assignedTo, reason: null }, record });
    },
  }),
  opportunities: ownedRecords({
    model: (tx: Tx) => tx.opportunity,
    owner: 'ownerId',
    exists: { deletedAt: null },
    open: { deletedAt: null, status: 'open' },
    updated: ({ emit, row, values, changes }) => {
      const data = { opportunityId: row.id, fields: Object.keys(values) };
      emit(opportunityUpdated, { data, record: asOpportunity(row), changes });
    },
  }),
  accounts: ownedRecords({
    model: (tx: Tx) => tx.account,
    owner: 'ownerId',
    exists: { deletedAt: null },
    open: { deletedAt: null },
    updated: ({ emit, row, values, changes }) => {
      const data = { accountId: row.id, fields: Object.keys(values) };
      emit(accountUpdated, { data, record: asAccount(row), changes });
    },
  }),
  tasks: ownedRecords({
    model: (tx: Tx) => tx.task,
    owner: 'assignedTo',
    exists: { deletedAt: null },
    open: { deletedAt: null, status: { in: [...openStatuses] } },
    updated: ({ emit, row, values, changes }) => {
      const record = asTask(row);
      emit(taskUpdated, { data: { taskId: row.id, fields: Object.keys(values) }, record, changes });
      if (!changes['assignedTo']) return;
      const from = changes['assignedTo'].from as number | null;
      emit(taskAssigned, { data: { taskId: row.id, from, to: record.assignedTo, note: null }, record });
    },
  }),
};
