import type { TrainingSettings } from '../../../settings.ts';

/** Where packages are played, and what they may do there. */
export interface PlayerOrigin {
  /** The address of the page that plays packages, without a slash at the end. */
  url: string;
  /** The sandbox of a package. */
  sandbox: string;
}

const always = 'allow-scripts allow-forms allow-modals allow-popups';

/**
 * On the origin of the API, the sandbox takes its origin from a package. On a host of its own, a package keeps the origin of
 * that host, which is needed by packages whose frames call each other; nothing else is there that it could reach.
 * @throws Error if the host is that of the API, where a package with an origin could use the sessions of learners
 */
export function playerOrigin({ PUBLIC_URL, SCORM_CONTENT_URL }: TrainingSettings): PlayerOrigin {
  if (!SCORM_CONTENT_URL) return { url: PUBLIC_URL.replace(/\/$/, ''), sandbox: always };
  // Cookies do not distinguish ports.
  if (new URL(SCORM_CONTENT_URL).hostname === new URL(PUBLIC_URL).hostname)
    throw new Error('SCORM_CONTENT_URL must have another host than PUBLIC_URL');
  return { url: SCORM_CONTENT_URL.replace(/\/$/, ''), sandbox: `${always} allow-same-origin` };
}
