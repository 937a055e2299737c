import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { identityService } from './service.ts';

startService(identityService(settings));
