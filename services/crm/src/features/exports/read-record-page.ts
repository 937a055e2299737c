import { accounts, activities, calendarEvents, leads, opportunities, tasks } from '@tandem/crm-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { listAccounts } from '../accounts/list-accounts.ts';
import { listActivities } from '../activities/list-activities.ts';
import { listCalendarEvents } from '../calendar-events/list-calendar-events.ts';
import { listLeads } from '../leads/list-leads.ts';
import { listOpportunities } from '../opportunities/list-opportunities.ts';
import { listTasks } from '../tasks/list-tasks.ts';

/** The lists of crm that other services export. */
export const readRecordPage = (peers: Peers) =>
  recordPagesHandler([
    { row: leads.listLeads, handler: listLeads },
    { row: accounts.listAccounts, handler: listAccounts },
    { row: opportunities.listOpportunities, handler: listOpportunities(peers) },
    { row: tasks.listTasks, handler: listTasks },
    { row: activities.listActivities, handler: listActivities },
    { row: calendarEvents.listCalendarEvents, handler: listCalendarEvents },
  ]);
