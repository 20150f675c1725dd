// The page of a server that scores rows.

import './page.css';
import { start } from './shell.js';
import { model } from './model.js';
import { scores } from './scores.js';

start([scores, model]);
