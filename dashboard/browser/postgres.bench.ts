import { measureInbox } from './speed';

// `make bench` starts an empty one.
const database = process.env.FRONTDESK_TEST_POSTGRES;
if (!database) throw new Error('Run this by: scripts/services run --durable -- scripts/dashboard bench');

measureInbox('PostgreSQL', database);
