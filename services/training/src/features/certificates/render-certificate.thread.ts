import { serveTasks } from '@tandem/workers/serve';
import { certificateDocument } from './certificate-document.ts';

const tasks = { render: certificateDocument };

export type CertificateTasks = typeof tasks;

serveTasks(tasks);
