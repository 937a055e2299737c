import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { agentsService } from './service.ts';

startService(agentsService(settings));
