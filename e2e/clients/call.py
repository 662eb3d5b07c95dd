"""Creates a contact, sends it a message, and lists contacts and events, with the generated client: call.py URL KEY."""

import sys

from frontdesk_client import AuthenticatedClient
from frontdesk_client.api.contacts import create_contact, list_contacts
from frontdesk_client.api.events import list_events
from frontdesk_client.api.messages import send_message
from frontdesk_client.models import (
    ContactCreatedEvent,
    ContactList,
    CreateContactResponse201,
    EventList,
    EventType,
    NewContact,
    NewTemplate,
    SendMessageResponse201,
    TemplateChoice,
    ToPhone,
)

PHONE = "+14155550123"

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)

made = create_contact.sync(client=client, body=NewContact(name="Ann Lee", phone=PHONE))
assert isinstance(made, CreateContactResponse201), made

template = TemplateChoice(name="appointment_reminder", body_params=["Ann", "5 May"])
message = NewTemplate(type_="template", to=ToPhone(phone=PHONE), template=template)
sent = send_message.sync(client=client, body=message)
assert isinstance(sent, SendMessageResponse201), sent
assert sent.data.template_name == "appointment_reminder", sent

listed = list_contacts.sync(client=client, phone=PHONE)
assert isinstance(listed, ContactList), listed
assert [contact.id for contact in listed.data] == [made.data.id], listed

told = list_events.sync(client=client, event_type=EventType.CONTACT_CREATED)
assert isinstance(told, EventList), told
(event,) = told.data
assert isinstance(event, ContactCreatedEvent), event
assert event.data.contact.id == made.data.id, event
