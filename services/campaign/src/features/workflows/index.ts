import type { workflowChecks, workflows } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { archiveWorkflow } from './archive-workflow.ts';
import { createWorkflow } from './create-workflow.ts';
import { deleteWorkflow } from './delete-workflow.ts';
import { duplicateWorkflow } from './duplicate-workflow.ts';
import { getWorkflow } from './get-workflow.ts';
import { listWorkflowVersions } from './list-workflow-versions.ts';
import { listWorkflows } from './list-workflows.ts';
import { pauseWorkflow } from './pause-workflow.ts';
import { publishWorkflow } from './publish-workflow.ts';
import { restoreWorkflowVersion } from './restore-workflow-version.ts';
import { resumeWorkflow } from './resume-workflow.ts';
import { testWorkflow } from './test-workflow.ts';
import { updateWorkflow } from './update-workflow.ts';
import { validateWorkflow } from './validate-workflow.ts';

export const workflowHandlers = (tools: Tools) =>
  ({
    createWorkflow: createWorkflow(tools),
    listWorkflows,
    getWorkflow,
    updateWorkflow: updateWorkflow(tools),
    deleteWorkflow: deleteWorkflow(tools),
    duplicateWorkflow: duplicateWorkflow(tools),
    listWorkflowVersions,
    restoreWorkflowVersion,
    publishWorkflow: publishWorkflow(tools),
    pauseWorkflow,
    resumeWorkflow,
    archiveWorkflow,
    validateWorkflow: validateWorkflow(tools),
    testWorkflow: testWorkflow(tools),
  }) satisfies Handlers<typeof workflows & typeof workflowChecks, Tx>;
