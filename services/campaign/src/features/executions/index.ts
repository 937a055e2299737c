import type { executions } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { cancelExecution } from './cancel-execution.ts';
import { enrollLeads } from './enroll-leads.ts';
import { getWorkflowExecution } from './get-workflow-execution.ts';
import { getWorkflowStats } from './get-workflow-stats.ts';
import { listWorkflowEnrollments } from './list-workflow-enrollments.ts';
import { listWorkflowExecutions } from './list-workflow-executions.ts';
import { removeEnrollment } from './remove-enrollment.ts';
import { retryExecution } from './retry-execution.ts';

export const executionHandlers = (tools: Tools) =>
  ({
    enrollLeads: enrollLeads(tools),
    listWorkflowEnrollments,
    removeEnrollment,
    listWorkflowExecutions,
    getWorkflowExecution: getWorkflowExecution(tools),
    cancelExecution,
    retryExecution,
    getWorkflowStats,
  }) satisfies Handlers<typeof executions, Tx>;
