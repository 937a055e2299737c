import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { crmService } from './service.ts';

startService(crmService(settings));
