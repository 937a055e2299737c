import type { templates } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateTemplate } from './activate-template.ts';
import { archiveTemplate } from './archive-template.ts';
import { createTemplate } from './create-template.ts';
import { deleteTemplate } from './delete-template.ts';
import { duplicateTemplate } from './duplicate-template.ts';
import { getTemplate } from './get-template.ts';
import { listTemplateVersions } from './list-template-versions.ts';
import { listTemplates } from './list-templates.ts';
import { renderTemplate } from './render-template.ts';
import { restoreTemplateVersion } from './restore-template-version.ts';
import { testSendTemplate } from './test-send-template.ts';
import { updateTemplate } from './update-template.ts';

export const templateHandlers = (tools: Tools) =>
  ({
    createTemplate,
    listTemplates,
    getTemplate,
    updateTemplate,
    deleteTemplate: deleteTemplate(tools),
    activateTemplate,
    archiveTemplate,
    duplicateTemplate,
    renderTemplate: renderTemplate(tools),
    testSendTemplate: testSendTemplate(tools),
    listTemplateVersions,
    restoreTemplateVersion,
  }) satisfies Handlers<typeof templates, Tx>;
